#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Demonstrate the collection on one simulated zone, from an empty zone to delivered log lines. No other machine is contacted.
# Prints a line for each step; exits with 0 only if all checks passed. The output of Ansible is in a file that it names.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
demo=$root/examples/demo
# Use the caller's environment if it has both commands, otherwise the one of `make setup`.
tools() { command -v ansible-playbook >/dev/null && command -v edgeops-simulator >/dev/null; }
tools || PATH=$root/.venv/bin:$PATH
tools || { echo "ansible-playbook and edgeops-simulator are not on the PATH; run 'make setup' first." >&2; exit 1; }

bold='' dim='' green='' red='' plain='' back=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m' back=$'\r\e[K'
fi
step=0
# The title of a running step is shown on terminals only; its result replaces it.
say() {
    step=$((step + 1))
    printf '\n%d. %s\n%s\n\n' "$step" "$1" "$2" >>"$log"
    [ -z "$back" ] || printf '%s%d. %s ...%s' "$dim" "$step" "$1" "$plain"
}
holds() { printf '%s%s✔ %d. %s%s\n' "$back" "$green" "$step" "$1" "$plain"; }
fails() { printf '%s%s✘ %s%s\n' "$back" "$red" "$1" "$plain" >&2; exit 1; }

work=$(mktemp -d)
# Not deleted at the end, so that users can read it.
report=${DEMO_REPORT:-$root/build/demo}
log=$report/ansible.log
service=
finish() {
    status=$?
    if [ "$status" != 0 ] && [ -s "$work/output" ]; then
        { tail -n 20 "$work/output"; printf 'All of it is in %s\n' "$log"; } >&2
    fi
    if [ -n "$service" ]; then
        kill "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

edge() { python3 "$root/scripts/demo_edge.py" "$@"; }
# Save the output of a command for the checks.
kept() { "$@" 2>&1 | tee "$work/output" >>"$log"; }
play() { ANSIBLE_DISPLAY_OK_HOSTS=true kept ansible-playbook -i "$demo/inventory.yml" "$@"; }
# grep reads a file, not a pipe: it exits at the first match, and the writer of a pipe would then fail.
says() { grep -Eq "$1" <(sed 's/\x1b\[[0-9;]*m//g' "$work/output"); }

export DEMO_ZONE=023e105f4ecef8ad9ca31a8372d0c353
mkdir "$work/bucket" "$work/home"
rm -rf "$report"
mkdir -p "$report"
edgeops-simulator --port 0 --token demo-token --seed "$demo/seed.json" --log-folder "$work/bucket" \
    >"$work/announcement" 2>"$work/service.log" &
service=$!
for _ in $(seq 1200); do
    [ -s "$work/announcement" ] && break
    kill -0 "$service" 2>/dev/null || { cat "$work/service.log" >&2; fails 'the embedded service did not start'; }
    sleep 0.1
done
control=$(edge member "$work/announcement" control_url) || fails 'the embedded service did not say where it listens'
export CONTROL_URL=$control

unset CLOUDFLARE_TOKEN CLOUDFLARE_EMAIL CLOUDFLARE_API_KEY
CLOUDFLARE_BASE_URL=$(edge member "$work/announcement" base_url)
export CLOUDFLARE_BASE_URL CLOUDFLARE_API_TOKEN=demo-token
# Use the collection of this checkout, unless the caller sets a path.
export ANSIBLE_COLLECTIONS_PATH=${ANSIBLE_COLLECTIONS_PATH:-$root/.venvs/collections}
export ANSIBLE_CONFIG=$demo/ansible.cfg ANSIBLE_LOCAL_TEMP=$work/home XDG_STATE_HOME=$work/home
printf '%sThe output of Ansible is in %s%s\n' "$dim" "$log" "$plain"

say 'The zone before' 'ansible-playbook examples/demo/look.yml'
play "$demo/look.yml"
says 'custom fields: \{\}' && says 'jobs: \[\]' && says 'script monitor: false' || fails 'the zone is not empty'
edge journal "$control" reads >>"$log"
holds 'The zone has no custom log fields, no job, and its script monitor is off.'

say 'What would happen' 'ansible-playbook edgeops.observability.deliver --check --diff'
play edgeops.observability.deliver --check --diff
says '1 zone: 1 would be changed, 0 unchanged, 0 failed' || fails 'a change was expected'
edge journal "$control" reads >>"$log"
holds 'The change is predicted, and nothing was written.'

say 'Let it happen' 'ansible-playbook edgeops.observability.deliver'
play edgeops.observability.deliver
says '1 zone: 1 changed, 0 unchanged, 0 failed' || fails 'a change was expected'
edge journal "$control" writes >>"$log"
holds 'The zone has its custom log fields, its job and its script monitor.'

say 'The same once more' 'ansible-playbook edgeops.observability.deliver'
play edgeops.observability.deliver
says '1 zone: 0 changed, 1 unchanged, 0 failed' || fails 'the second run changed something'
edge journal "$control" reads >>"$log"
holds 'Nothing changed, and nothing was written.'

# A script that browsers loaded; the baseline in the inventory authorises exactly this content.
script() { edgeops-simulator script "$1" https://js.pay.example/v3/pay.js --host shop.example "${@:2}" >/dev/null; }
hash=$(grep -o '[0-9a-f]\{64\}' "$demo/inventory.yml")
script add --hash "$hash"
audit() {
    play edgeops.observability.check -e edgeops_fail_on=drifted,findings -e edgeops_audit_scripts=true -e edgeops_report_dir="$report"
}
shown='ansible-playbook edgeops.observability.check -e edgeops_fail_on=drifted,findings -e edgeops_audit_scripts=true -e edgeops_report_dir=build/demo'

say 'An audit, of the scripts on its pages as well' "$shown"
audit
says '1 zone: 0 unaudited, 0 drifted, 0 with findings, 0 unmanaged, 1 compliant' || fails 'the audit does not find the zone compliant'
says '0 differences, 0 findings' || fails 'the audit does not find the script authorised'
edge journal "$control" reads >>"$log"
holds 'The zone is compliant, its script is authorised, and the audit wrote nothing.'

say 'Four visits at the edge, and what arrives in the bucket' 'examples/demo/traffic.json, sent to the simulated edge: errors only, without the health check, each with its custom fields'
{ edge send "$control" "$demo/traffic.json" && edge logs "$work/bucket" t-1002 t-1004; } >>"$log"
holds 'Only errors of the shop arrived in the bucket, each with its custom fields.'

say 'Someone switches the job off by hand, and the content of a script changes; the audit finds both' "$shown"
edge edit "$CLOUDFLARE_BASE_URL" edge-logs
edge journal "$control" writes >>"$log"
script change
if audit; then
    fails 'the audit did not fail'
fi
says 'shop\.example difference: job edge-logs: enabled is false, should be true' || fails 'the audit did not name the difference'
says 'finding changed .*https://js\.pay\.example/v3/pay\.js' || fails 'the audit did not name the script'
says '1 changed script in 1 zone; 1 zone drifted\.' || fails 'the report has no verdict'
edge journal "$control" reads >>"$log"
edge report "$report/report.json" enabled changed >>"$log" || fails 'the report does not hold what the audit found'
holds 'The audit names what differs and the script that changed, fails the run as requested, and wrote nothing.'

say 'The whole account, without an inventory' 'ansible-playbook edgeops.observability.survey -e edgeops_audit_scripts=true -e edgeops_report_dir=build/demo/survey'
script report
kept ansible-playbook edgeops.observability.survey -e edgeops_audit_scripts=true -e edgeops_report_dir="$report/survey"
says 'finding reported .*https://js\.pay\.example/v3/pay\.js' || fails 'the survey did not find the script that was reported'
says '1 reported script in 1 zone; 1 zone does not deliver logs\.' || fails 'the survey has no verdict'
grep -q 'Who is told' "$report/survey/report.html" || fails 'the page of the survey does not say who is told'
edge journal "$control" reads >>"$log"
holds 'The survey needs a token alone, finds what is reported, and wrote nothing.'

rule() { play "$demo/enforce.yml" -e "$1"; }
say 'A content security rule: logged first, refused while it would block, enforced' 'ansible-playbook examples/demo/enforce.yml -e checkout_action=allow'
rule checkout_action=log || fails 'the rule was not created'
edge violate "$control" https://cdn.fraud.example/check.js
if rule checkout_action=allow; then
    fails 'a rule that would block was enforced'
fi
says 'would block 1 source [^;]*check\.js \([^)]*\)' || fails 'the refusal does not name the script'
rule '{"checkout_action": "allow", "checkout_scripts": [{"name": "fraud-check", "url": "https://cdn.fraud.example/check.js", "authorised_by": "j.doe"}]}' || fails 'the rule was not enforced'
edge journal "$control" writes >>"$log"
holds 'The rule was refused while it would have blocked a script, and enforces the baseline that has it.'

say 'The shop page itself: as somebody authorised it, then with a skimmer in its code' 'ansible-playbook examples/demo/page.yml'
play "$demo/page.yml" || fails 'the page is not as it is authorised'
edge change "$control" skimmer
if play "$demo/page.yml"; then
    fails 'the audit did not fail'
fi
says 'found 1 inline_new' && says 'entry .*checkout.* does not authorise' && says 'src = .*https://evil\.example/' || fails 'the audit did not name the skimmer'
holds 'The page was as authorised, until a skimmer was in its code, which the audit names.'

printf '\n%sAll ten steps ended as expected.%s\n' "$bold" "$plain"
printf 'The report of the last audit:  %s\nThe report of the survey:      %s\n' "$report/report.html" "$report/survey/report.html"
