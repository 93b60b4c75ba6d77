# Copyright: (c) 2026, the edgeops.observability contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The page as a template: all text is escaped by Jinja2, styles are in the page, and there is no script.

STYLE = """
:root{color-scheme:light dark;--text:#1b1f24;--soft:#4b5563;--page:#fff;--box:#f3f4f6;--line:#c9ced6;--link:#0b57d0;
--high:#9b1c1c;--medium:#7a4a00;--low:#1e4f8f}
@media (prefers-color-scheme:dark){:root{--text:#e8eaed;--soft:#b4bac4;--page:#15181c;--box:#20252b;--line:#454c56;--link:#8ab4f8;
--high:#ffa8a3;--medium:#f5c26b;--low:#9cc4ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header,nav,main,footer{max-width:80rem;margin:0 auto;padding:0 1rem}
header{padding-top:1.5rem}
h1{margin:0;font-size:1.7rem;line-height:1.25}
h2{margin:2rem 0 .5rem;font-size:1.25rem;border-bottom:1px solid var(--line)}
p{margin:.4rem 0}
a{color:var(--link)}
.soft{color:var(--soft)}
.verdict{display:inline-block;margin:.6rem 0;padding:.3rem .8rem;border:2px solid currentColor;border-radius:.4rem;font-weight:700}
.high{color:var(--high)}.medium{color:var(--medium)}.low,.info{color:var(--low)}
nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.5rem 0;padding:0;list-style:none}
.wide{overflow-x:auto}
table{width:100%;border-collapse:collapse;margin:.5rem 0}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.3rem .6rem;border:1px solid var(--line);text-align:left;vertical-align:top;min-width:7rem}
thead th{background:var(--box);overflow-wrap:normal}
:not(.counts)>tbody td:nth-child(2){min-width:9rem}:not(.counts)>tbody td:nth-child(3){min-width:14rem}
.counts td{font-size:1.2rem;font-variant-numeric:tabular-nums}
details{margin:.3rem 0;padding:.2rem .6rem;border:1px solid var(--line);border-radius:.3rem}
details details{background:var(--page)}
summary{cursor:pointer}
details[open]>summary{margin-bottom:.3rem}
.items{margin:.2rem 0;padding-left:1.2rem}
.fine{margin:.3rem 0;padding-left:1.2rem}
code{font-size:.85em}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
footer{padding:2rem 1rem;font-size:.9rem}
@media (min-width:60rem){.fine{columns:2}}
@media print{:root{color-scheme:light;--text:#000;--soft:#333;--page:#fff;--box:#eee;--line:#888;--link:#000;--high:#000;--medium:#000;
--low:#000}
nav{display:none}.wide{overflow:visible}details::details-content{content-visibility:visible;display:block}
details,tr{break-inside:avoid}body{font-size:10pt}th,td,:not(.counts)>tbody td:nth-child(n){min-width:0}}
"""

TEMPLATE = """\
{%- macro item_line(item) -%}
<b class="{{ item.severity }}">{{ item.severity }} {{ item.kind }}</b>{% if item.fresh %} <b>new</b>{% endif -%}
{% if item.changed %} <b>changed</b>{% endif %} {{ item.resource }}{% if item.subject %} {{ item.subject }}{% endif -%}
: {{ item.message }} <span class="soft">since {{ item.first_seen }}{% if item.carried %}, as of the last audit{% endif -%}
{% if item.waived %}, waived{% if item.reason %}: {{ item.reason }}{% endif %}{% endif %}</span>
{%- endmacro -%}
{%- macro zone_list(zones) -%}
{% if zones | length > 3 %}<details><summary>{{ zones | length }} zones</summary>{{ zones | join(", ") }}</details>
{%- else %}{{ zones | join(", ") }}{% endif %}
{%- endmacro -%}
{%- macro inventory(zone) -%}
{% if zone.scripts %}<details><summary>{{ zone.script_count }} script{% if zone.script_count > 1 %}s{% endif %} of {{ zone.name }}</summary><ul class="items">
{% for script in zone.scripts %}<li>{{ script.url }} on {{ script.host }}: {{ script.entry }}
{% endfor %}</ul>{% if zone.more_scripts %}<p>{{ zone.more_scripts }} more are in report.json.</p>{% endif %}</details>{% endif %}
{%- endmacro -%}
{%- macro zone_details(zone) -%}
<details{% if zone.open %} open{% endif %}><summary><b>{{ zone.name }}</b>: {{ zone.status }}{{ zone.tally }}</summary>
{% if zone.error %}<p><b class="high">{{ zone.error }}</b></p>{% endif %}
{% if zone.as_of %}<p class="soft">Last audited at {{ zone.as_of }}.</p>{% endif %}
{% if zone.shared %}<p>{{ zone.shared }} of its differences and findings are listed once, above.</p>{% endif %}
{% if zone.problems %}<ul class="items">
{% for item in zone.problems %}<li>{{ item_line(item) }}
{% endfor %}</ul>{% endif %}
{% if zone.more_problems %}<p>{{ zone.more_problems }} more are in report.json.</p>{% endif %}{{ inventory(zone) }}
{% if zone.head %}<p class="soft">Evidence: record {{ zone.seq }}, head {{ zone.head }}.</p>{% endif %}</details>
{%- endmacro -%}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ page.title }}: {{ page.verdict }}</title>
<style>{{ style }}</style>
</head>
<body>
<header>
<h1>{{ page.title }}</h1>
<p class="verdict {{ page.verdict_class }}">{{ page.verdict }}</p>
<p class="soft">Audited at {{ page.generated_at }}. Report {{ page.report_id }}{% if page.previous_id %}, compared with
{{ page.previous_id }}{% endif %}.</p>
</header>
<nav aria-label="Sections"><ul>
<li><a href="#summary">Summary</a></li>
<li><a href="#new">New</a></li>
{% if page.groups %}<li><a href="#shared">Same in several zones</a></li>
{% endif %}{% for section in page.sections %}<li><a href="#{{ section.id }}">{{ section.title }} ({{ section.count }})</a></li>
{% endfor %}{% if page.waivers %}<li><a href="#waivers">Waivers</a></li>{% endif %}
</ul></nav>
<main>
<section aria-labelledby="summary"><h2 id="summary">Summary</h2>
<div class="wide" role="group" aria-label="Table" tabindex="0"><table class="counts"><caption>Zones by status</caption>
<thead><tr>{% for name, _number in page.zone_counts %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody><tr>{% for _name, number in page.zone_counts %}<td>{{ number }}</td>{% endfor %}</tr></tbody></table></div>
<div class="wide" role="group" aria-label="Table" tabindex="0"><table class="counts"><caption>What was found</caption>
<thead><tr>{% for name, _number in page.item_counts %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody><tr>{% for _name, number in page.item_counts %}<td>{{ number }}</td>{% endfor %}</tr></tbody></table></div>
{% if page.plan_id %}<p class="soft">Plan of the fleet: <code>{{ page.plan_id }}</code></p>{% endif %}
</section>
<section aria-labelledby="new"><h2 id="new">New since the previous report</h2>
{% if not page.previous_id %}<p>There is no previous report to compare with.</p>
{% elif not page.fresh %}<p>Nothing is new.</p>
{% else %}<div class="wide" role="group" aria-label="Table" tabindex="0"><table><caption>New differences, findings and notes</caption>
<thead><tr><th scope="col">Severity</th><th scope="col">Zones</th><th scope="col">What</th></tr></thead><tbody>
{% for group in page.fresh %}<tr><td><b class="{{ group.item.severity }}">{{ group.item.severity }} {{ group.item.kind }}</b></td>
<td>{{ zone_list(group.zones) }}{% if group.newly < group.zones | length %} (new in {{ group.newly }} of them){% endif %}</td>
<td>{{ group.item.resource }}{% if group.item.subject %} {{ group.item.subject }}{% endif %}: {{ group.item.message }}</td></tr>
{% endfor %}</tbody></table></div>
{% if page.more_fresh %}<p>{{ page.more_fresh }} more are marked as new below.</p>{% endif %}{% endif %}
</section>
{% if page.groups %}<section aria-labelledby="shared"><h2 id="shared">The same in several zones</h2>
<div class="wide" role="group" aria-label="Table" tabindex="0"><table><caption>What three or more zones have in common</caption>
<thead><tr><th scope="col">Severity</th><th scope="col">What</th><th scope="col">Zones</th></tr></thead><tbody>
{% for group in page.groups %}<tr><td><b class="{{ group.item.severity }}">{{ group.item.severity }} {{ group.item.kind }}</b></td>
<td>{{ group.item.resource }}{% if group.item.subject %} {{ group.item.subject }}{% endif %}: {{ group.item.message }}</td>
<td>{{ zone_list(group.zones) }}</td></tr>
{% endfor %}</tbody></table></div></section>
{% endif %}{% for section in page.sections %}<section aria-labelledby="{{ section.id }}"><h2 id="{{ section.id }}">{{ section.title }}
({{ section.count }})</h2>
{% for zone in section.wrong %}{{ zone_details(zone) }}
{% endfor %}{% if section.fine %}<ul class="fine">
{% for zone in section.fine %}<li>{{ zone.name }}{{ zone.tally }}{% if zone.as_of %}, last audited at {{ zone.as_of }}{% endif %}{{ inventory(zone) }}
{% endfor %}</ul>{% endif %}</section>
{% endfor %}{% if page.waivers %}<section aria-labelledby="waivers"><h2 id="waivers">Waivers</h2>
<div class="wide" role="group" aria-label="Table" tabindex="0"><table><caption>Accepted differences and findings</caption>
<thead><tr><th scope="col">Covers</th><th scope="col">Reason</th><th scope="col">Owner</th><th scope="col">Until</th>
<th scope="col">Items</th></tr></thead><tbody>
{% for waiver in page.waivers %}<tr><td>{{ waiver.covers }}</td><td>{{ waiver.reason }}</td><td>{{ waiver.owner }}</td>
<td>{{ waiver.until }}{% if waiver.expired %} <b class="high">expired</b>{% endif %}</td><td>{{ waiver.count }}</td></tr>
{% endfor %}</tbody></table></div></section>{% endif %}
</main>
<footer><p class="soft">Made by edgeops.observability {{ page.version }}. The whole report as data is in report.json.</p></footer>
</body>
</html>
"""
