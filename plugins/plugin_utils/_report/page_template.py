# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

# The page as a template: all text is escaped by Jinja2, styles are in the page, and there is no script.

STYLE = """
:root{color-scheme:light dark;--text:#1c2128;--soft:#57606a;--page:#fff;--box:#f6f8fa;--line:#d5dae1;--link:#0a58c2;
--unaudited:#6f42c1;--drifted:#b86e00;--findings:#c62828;--unmanaged:#8b949e;--compliant:#2b8a4b;
--high:#a61b1b;--high-back:#fdecec;--medium:#7a4a00;--medium-back:#fff3dc;--low:#39506b;--low-back:#eaf0f7}
@media (prefers-color-scheme:dark){:root{--text:#e6e9ed;--soft:#a3acb8;--page:#14171b;--box:#1c2127;--line:#39414b;--link:#7ab4ff;
--unaudited:#a98bea;--drifted:#dd9a2f;--findings:#ef6a64;--unmanaged:#7d8590;--compliant:#4cb072;
--high:#ffb0ab;--high-back:#4a1f20;--medium:#f7cb80;--medium-back:#43310f;--low:#b7cbe3;--low-back:#243346}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;
overflow-wrap:anywhere}
header,nav,main,footer{max-width:76rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2.25rem}
h1{margin:0;font-size:1rem;font-weight:600;color:var(--soft)}
h2{margin:3rem 0 .75rem;font-size:1.45rem;line-height:1.25;letter-spacing:-.01em}
h3{margin:0;font-size:1.08rem;line-height:1.35}
p{margin:.35rem 0}
a{color:var(--link)}
.verdict{margin:.35rem 0 .6rem;font-size:clamp(1.6rem,1.1rem + 2.2vw,2.5rem);line-height:1.15;font-weight:700;letter-spacing:-.02em}
.verdict span{display:block;margin-top:.3rem;font-size:.6em;font-weight:500;letter-spacing:0;line-height:1.3}
.soft{color:var(--soft)}
.small{font-size:.875rem}
.charts{display:grid;grid-template-columns:minmax(0,3fr) minmax(0,2fr);gap:1.5rem 3rem;margin:1.75rem 0 0;align-items:end}
.charts.one{grid-template-columns:minmax(0,1fr)}
figure{margin:0}
figcaption{font-size:.875rem;color:var(--soft);margin-bottom:.4rem}
svg{display:block;width:100%}
.bar{height:1.5rem;border-radius:.3rem}
.over{display:inline-block;max-width:100%}.trend{width:auto;max-width:100%;height:5rem;border-bottom:1px solid var(--line)}
.ends{display:flex;gap:1rem;justify-content:space-between;font-size:.8rem;color:var(--soft);font-variant-numeric:tabular-nums}
.unaudited{fill:var(--unaudited);background:var(--unaudited)}.drifted{fill:var(--drifted);background:var(--drifted)}
.findings{fill:var(--findings);background:var(--findings)}.unmanaged{fill:var(--unmanaged);background:var(--unmanaged)}
.compliant{fill:var(--compliant);background:var(--compliant)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.6rem 0 0;padding:0;list-style:none;font-size:.95rem}
.legend b{font-variant-numeric:tabular-nums}
.key{display:inline-block;width:.75rem;height:.75rem;border-radius:.15rem;margin-right:.45rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;margin:1.75rem 0 0;padding:.6rem 0;list-style:none;border:solid var(--line);border-width:1px 0}
.todo{margin:0 0 2rem}
.todo-head{padding:.9rem 1.1rem;background:var(--box);border:1px solid var(--line);border-bottom:0;border-radius:.5rem .5rem 0 0}
.todo-head .soft{font-weight:400;font-size:.95rem}
.todo-head p{font-size:.95rem}
table{width:100%;border-collapse:collapse;font-size:.925rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
th,td{padding:.55rem 1.1rem .55rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
thead th{font-size:.8rem;font-weight:600;color:var(--soft);overflow-wrap:normal}
.todo table{border:1px solid var(--line);table-layout:fixed}
.todo th:first-child,.todo td:first-child{padding-left:1.1rem}
tbody th{font-weight:600}
.sev{width:6.5rem}.zone{width:17%}.what{width:20%}.since{width:8.5rem}
.mark{display:inline-block;padding:0 .5rem;border-radius:1rem;font-size:.8rem;font-weight:600;line-height:1.5rem;white-space:nowrap;
background:var(--low-back);color:var(--low)}
.mark.high{background:var(--high-back);color:var(--high)}.mark.medium{background:var(--medium-back);color:var(--medium)}
.what code,.name{display:block;font-size:.85rem;color:var(--soft)}
code{font:.85em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
details>summary{cursor:pointer}
.more{padding:.55rem 1.1rem;margin:0;border:1px solid var(--line);border-top:0}
.zones{margin:0 0 .5rem;border-top:1px solid var(--line);padding:.6rem 0}
.zones>summary{font-weight:600;font-size:1.05rem}
.each{margin:.5rem 0 .5rem .35rem;padding-left:1rem;border-left:3px solid var(--line)}
.items{margin:.35rem 0;padding:0;list-style:none}
.items li{padding:.2rem 0}
.quiet{color:var(--soft)}
.fine{margin:.5rem 0 .5rem .35rem;padding:0;list-style:none;columns:16rem;column-gap:2rem;font-size:.95rem}
.ids{font-size:.85rem}
:focus-visible{outline:3px solid var(--link);outline-offset:2px}
footer{margin-top:3rem;padding-bottom:3rem;font-size:.875rem;color:var(--soft)}
@media (max-width:48rem){header{padding-top:1.25rem}.charts{grid-template-columns:minmax(0,1fr)}h2{margin-top:2.25rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,tbody,tr,th,td{display:block;width:auto}tr{padding:.7rem 1.1rem;border-bottom:1px solid var(--line)}
tbody th,tbody td,.todo th:first-child,.todo td:first-child{padding:.15rem 0;border:0}
td[data-l]::before{content:attr(data-l) ": ";color:var(--soft)}td:empty{display:none}.since{width:auto}}
@media print{:root{color-scheme:light;--text:#000;--soft:#333;--page:#fff;--box:#fff;--line:#999;--link:#000;
--unaudited:#6f42c1;--drifted:#b86e00;--findings:#c62828;--unmanaged:#8b949e;--compliant:#2b8a4b;
--high:#000;--high-back:#fff;--medium:#000;--medium-back:#fff;--low:#000;--low-back:#fff}
:root{font-size:11px}body{font-size:1rem}.verdict{font-size:2.2rem}th,td{padding-right:.8rem}nav{display:none}
header{padding-top:0}.mark{border:1px solid #000;line-height:1.3}
svg,.key{print-color-adjust:exact}details::details-content{content-visibility:visible;display:block}
tr,.todo-head,figure{break-inside:avoid}h2,h3,.todo-head,summary{break-after:avoid}h2{margin-top:1.5rem}}
"""

TEMPLATE = """\
{% macro zone_names(zones) %}
{% if zones | length > 3 %}<details><summary>{{ zones | length }} zones</summary>{{ zones | join(", ") }}</details>
{% else %}{{ zones | join(", ") }}{% endif %}
{% endmacro %}
{% macro findings_table(action, groups) %}
<table><caption>{{ action.title }}</caption>
<thead><tr><th scope="col" class="sev">Severity</th><th scope="col" class="zone">Zone</th><th scope="col" class="what">What</th>
<th scope="col">Is</th><th scope="col">Should be</th><th scope="col" class="since">Since</th></tr></thead>
<tbody>
{% for group in groups[:200] %}
{% set item, single = group.item, group.rows | length == 1 %}
{% set name, present, desired = item | columns %}
{% set fresh = group.items | map(attribute="id") | select("in", new) | list | length %}
<tr><td><span class="mark {{ item.severity | text }}">{{ item.severity | text }}</span></td><th scope="row">
{%- if single and item.id %}<a href="#{{ item.id }}">{{ group.rows[0].zone | short }}</a>{% else %}
{{ zone_names(group.rows | map(attribute="zone") | map("short") | list) }}{% endif %}</th>
<td>{{ item | about | short }}{% if name %}<span class="name">{{ name }}</span>{% endif %}</td>
<td data-l="is">{{ present }}</td>{% if desired %}<td data-l="should be">{{ desired }}</td>{% else %}<td></td>{% endif %}
<td class="since" data-l="since">
{%- if item.id %}{{ group.items | map(attribute="first_seen") | min | day }}
{% elif group.rows[0] | last_audit %}last audited {{ group.rows[0] | last_audit }}
{% else %}never audited
{% endif %}
{% if fresh %}<span class="mark">{% if not single %}{{ fresh }} {% endif %}new</span>{% endif %}</td></tr>
{% endfor %}
</tbody></table>
{% if groups | length > 200 %}<p class="more small soft">{{ groups | length - 200 }} more are with their zones below.</p>{% endif %}
{% endmacro %}
{% macro zone_details(row, open) %}
{% set found, scripts, jobs = row["items"], row.inventory or [], jobs_of(row) %}
<div class="each"><details{% if open %} open{% endif %}><summary><b>{{ row.zone | short }}</b>{% if row.scope != "zone" %} (account){% endif %}
{% if tally(row) %} <span class="soft">{{ tally(row) }}</span>{% endif %}</summary>
{% if row.error %}<p>{{ error_text(row) | text(1000) }}</p>{% endif %}
{% if row | last_audit %}<p class="soft">Last audited on {{ row | last_audit }}.</p>{% endif %}
{% if found %}
<ul class="items">
{% for item in found[:200] %}
<li id="{{ item.id }}"{% if item.carried or item.waived %} class="quiet"{% endif %}
><span class="mark {{ item.severity | text }}">{{ item.severity | text }}</span>
{{ item | label | short }} <b>{{ item | about | short }}</b>: {{ item.message | text(600) }}
<span class="soft">since {{ item.first_seen | day }}{% for mark in marks(item) %}, {{ mark }}{% endfor %}</span></li>
{% endfor %}
</ul>
{% endif %}
{% if found | length > 200 %}<p class="soft">{{ found | length - 200 }} more are in report.json.</p>{% endif %}
{% if jobs %}
<table><caption>Delivery of {{ row.zone | short }}</caption><thead><tr><th scope="col">Job</th><th scope="col">State</th>
<th scope="col">Records delivered</th><th scope="col">Records lost</th><th scope="col">Uploads</th><th scope="col">Last delivery</th></tr></thead><tbody>
{% for job, facts in jobs %}
<tr><th scope="row">{{ job.job | short }}</th><td data-l="state">{{ job.health | text -}}
</td><td data-l="records delivered">{{ facts.records | amount }}</td>
<td data-l="records lost">{{ facts.dropped_records | amount }}</td><td data-l="uploads">{{ facts.uploads | amount -}}
</td><td data-l="last delivery">{{ (job.last_complete or "none") | day }}</td></tr>
{% endfor %}
</tbody></table>
{% endif %}
{% if scripts %}
<details><summary>{{ scripts | length | plural("script") }}</summary><ul class="items">
{% for script in scripts[:50] %}
<li>{{ script.script_url | short }} on {{ (script.host or "an unknown host") | short }}: {% if script.entry %}
entry {{ script.entry | short }}{% else %}
no entry covers it{% endif %}</li>
{% endfor %}
</ul>{% if scripts | length > 50 %}<p>{{ scripts | length - 50 }} more are in report.json.</p>{% endif %}</details>
{% endif %}
</details></div>
{% endmacro %}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy | safe }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ report.title | short }}: {{ verdict.rstrip(":") }}</title>
<style>{{ style | safe }}</style>
</head>
<body>
<header>
<h1>{{ report.title | short }}</h1>
<p class="verdict">{{ verdict }}{% if verdict_more %} <span>{{ verdict_more }}</span>{% endif %}</p>
<p class="soft">{{ numbers }}. Audited {{ report.generated_at | moment }}. {{ compared }}</p>
{% if not_audited %}<p class="soft">{{ not_audited }}</p>
{% endif %}
<div class="charts{% if not trend %} one{% endif %}">
<figure><figcaption>Zones by status</figcaption>
<svg class="bar" role="img" aria-label="{{ bar.label }}" viewBox="0 0 {{ bar.width }} 24" preserveAspectRatio="none">
{% for part in bar.parts %}
<rect class="{{ part.status }}" x="{{ part.x }}" width="{{ part.width }}" height="24"/>
{% endfor %}
</svg>
<ul class="legend">
{% for status, count, label in bar.legend %}
<li><span class="key {{ status }}"></span><b>{{ count }}</b> {{ label }}</li>
{% endfor %}
</ul></figure>
{% if trend %}
<figure><figcaption>Zones that need attention, at most {{ trend.tallest }}</figcaption><div class="over">
<svg class="trend" role="img" aria-label="{{ trend.label }}" width="{{ trend.width }}"
viewBox="0 0 {{ trend.width }} {{ trend.height }}" preserveAspectRatio="none">
{% for shape in trend.shapes %}
<rect class="{{ shape.status }}" x="{{ shape.x }}" y="{{ shape.y }}" width="{{ trend.column }}" height="{{ shape.height }}"/>
{% endfor %}
</svg><div class="ends"><span>{{ trend.first }}</span><span>{{ trend.last }}</span></div></div></figure>
{% endif %}
</div>
</header>
<nav aria-label="Sections"><ul>
<li><a href="#attention">What needs attention</a></li>
{% if notes %}<li><a href="#notes">Notes</a></li>{% endif %}
<li><a href="#zones">Zones</a></li>
{% if report.waivers %}<li><a href="#waivers">Waivers</a></li>{% endif %}
<li><a href="#technical">Technical details</a></li>
</ul></nav>
<main>
<section aria-labelledby="attention"><h2 id="attention">What needs attention</h2>
{% for action, groups in todo.items() %}
<div class="todo"><div class="todo-head"><h3>{{ action.title }} <span class="soft">in {{ groups | zones }}</span></h3>
<p>{{ action.advice }} <a href="{{ action.url }}" aria-label="Guide: {{ action.title }}">Guide</a></p></div>
{{ findings_table(action, groups) }}</div>
{% else %}
<p>Nothing.</p>
{% endfor %}
</section>
{% if notes %}
<section aria-labelledby="notes"><h2 id="notes">Notes</h2>
<div class="todo"><details>
<summary>{{ notes | length }} worth a look in {{ notes | zones }}; nothing has to be done about them</summary>
{{ findings_table(look, notes) }}</details></div></section>
{% endif %}
<section aria-labelledby="zones"><h2 id="zones">Zones</h2>
{% for name, rows in sections.items() if rows %}
{% set open, plain = name in unfolded, rows | reject("detailed") | list %}
<details class="zones" id="zones-{{ name | replace(" ", "-") }}"
{% if open %} open{% endif %}>
<summary><span class="key {{ name }}"></span>{{ status_count(name, rows | length) }}</summary>
{% for row in rows | select("detailed") %}
{{ zone_details(row, open) }}
{% endfor %}
{% if plain %}
<ul class="fine">
{% for row in plain %}
<li>{{ row.zone | short }}{% if row.scope != "zone" %} (account){% endif %}{% if row | last_audit %}, last audited on {{ row | last_audit }}{% endif %}</li>
{% endfor %}
</ul>
{% endif %}
</details>
{% endfor %}
</section>
{% if report.waivers %}
<section aria-labelledby="waivers"><h2 id="waivers">Waivers</h2>
<table><caption>Accepted differences and findings</caption>
<thead><tr><th scope="col">Covers</th><th scope="col">Reason</th><th scope="col">Owner</th>
<th scope="col">Until</th><th scope="col">Items</th></tr></thead><tbody>
{% for waiver in report.waivers %}
<tr><th scope="row">{{ waiver | covers | short }}</th><td data-l="reason">{{ waiver.reason | short }}</td><td data-l="owner">{{ waiver.owner | short }}</td>
<td data-l="until">{{ waiver.until }}{% if waiver.expired %} <span class="mark high">expired</span>{% endif %}</td>
<td data-l="items">{% if waiver["items"] %}{{ waiver["items"] | length | plural("item") }}{% else %}matches nothing{% endif %}</td></tr>
{% endfor %}
</tbody></table></section>
{% endif %}
<section aria-labelledby="technical"><h2 id="technical">Technical details</h2>
<p class="small">Report <code>{{ report.report_id }}</code>{% if report.comparison.previous_id %}
, previous report <code>{{ report.comparison.previous_id | short }}</code>{% endif %}.
{% if report.plan_id %}Plan of the fleet <code>{{ report.plan_id }}</code>.{% endif %} All data is in report.json.</p>
<details class="technical"><summary>Ids of zones, plans and items</summary><ul class="items ids">
{% for row in report.zones %}
<li><b>{{ row.zone | short }}</b>{% if address(row) %} <code>{{ address(row) | short }}</code>{% endif %}
{% for name, plan in row.plan_ids.items() if plan %}, {{ name }} <code>{{ plan | short }}</code>{% endfor %}
{% if (row.evidence or {}).get("head") %}, evidence <code>{{ row.evidence.head | short }}</code>{% endif %}
{% if row["items"] %}, items <code>{{ row["items"] | map(attribute="id") | join(" ") }}</code>{% endif %}</li>
{% endfor %}
</ul></details></section>
</main>
<footer><p>Made by edgeops.observability {{ report.collection_version }}.</p></footer>
</body>
</html>
"""
