#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The collection's main job on one simulated zone, from nothing to delivered log lines. Nothing outside this machine is contacted.
# Ends with 0 only if every statement that it prints has held.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
demo=$root/examples/demo
# The caller's own environment if it has what is needed, otherwise the one that `make setup` makes.
tools() { command -v ansible-playbook >/dev/null && command -v edgeops-simulator >/dev/null; }
tools || PATH=$root/.venv/bin:$PATH
tools || { echo "ansible-playbook and edgeops-simulator are not on the PATH; run 'make setup' first." >&2; exit 1; }

bold='' dim='' green='' red='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
fi
step=0
say() { step=$((step + 1)); printf '\n%s%d. %s%s\n%s%s%s\n\n' "$bold" "$step" "$1" "$plain" "$dim" "$2" "$plain"; }
holds() { printf '%s✔ %s%s\n' "$green" "$1" "$plain"; }
fails() { printf '%s✘ %s%s\n' "$red" "$1" "$plain" >&2; exit 1; }

work=$(mktemp -d)
# Stays after the end, for whoever wants to look at it.
report=${DEMO_REPORT:-$root/build/demo}
service=
finish() {
    if [ -n "$service" ]; then
        kill "$service" 2>/dev/null || true
        wait "$service" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

edge() { python3 "$root/scripts/demo_edge.py" "$@"; }
# Runs a playbook and keeps what it says, so that a statement about it can be checked.
play() { ansible-playbook -i "$demo/inventory.yml" "$@" 2>&1 | tee "$work/output"; }
# Not a pipe: grep ends at the first line that fits, and what feeds it would fail for writing on.
says() { grep -Eq "$1" <(sed 's/\x1b\[[0-9;]*m//g' "$work/output"); }

export DEMO_ZONE=023e105f4ecef8ad9ca31a8372d0c353
mkdir "$work/bucket" "$work/home"
rm -rf "$report"
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
# The collection of this checkout, unless the caller says where another is installed.
export ANSIBLE_COLLECTIONS_PATH=${ANSIBLE_COLLECTIONS_PATH:-$root/.venvs/collections}
export ANSIBLE_CONFIG=$demo/ansible.cfg ANSIBLE_LOCAL_TEMP=$work/home XDG_STATE_HOME=$work/home
[ -t 1 ] && [ -z "${NO_COLOR:-}" ] && export ANSIBLE_FORCE_COLOR=true

say 'The zone before' 'ansible-playbook examples/demo/look.yml'
play "$demo/look.yml"
says 'custom fields: \{\}' || fails 'the zone is not empty'
edge journal "$control" reads

say 'What would happen' 'ansible-playbook edgeops.observability.deliver --check --diff'
ANSIBLE_DISPLAY_OK_HOSTS=true play edgeops.observability.deliver --check --diff
says '1 zone: 1 would be changed, 0 unchanged, 0 failed' || fails 'a change was expected'
edge journal "$control" reads
holds 'The change is predicted, and nothing was written.'

say 'Let it happen' 'ansible-playbook edgeops.observability.deliver'
ANSIBLE_DISPLAY_OK_HOSTS=true play edgeops.observability.deliver
says '1 zone: 1 changed, 0 unchanged, 0 failed' || fails 'a change was expected'
edge journal "$control" writes
holds 'The zone has its custom log fields, its job and its script monitor.'

say 'The same once more' 'ansible-playbook edgeops.observability.deliver'
ANSIBLE_DISPLAY_OK_HOSTS=true play edgeops.observability.deliver
says '1 zone: 0 changed, 1 unchanged, 0 failed' || fails 'the second run changed something'
edge journal "$control" reads
holds 'Nothing changed, and nothing was written.'

# What the browsers of the shop's visitors loaded; the baseline in the inventory authorises exactly this content.
script() { edgeops-simulator script "$1" https://js.pay.example/v3/pay.js --host shop.example "${@:2}" >/dev/null; }
hash=$(grep -o '[0-9a-f]\{64\}' "$demo/inventory.yml")
script add --hash "$hash"
audit() {
    ANSIBLE_DISPLAY_OK_HOSTS=true play edgeops.observability.check -e edgeops_fail_on=drifted,findings -e edgeops_audit_scripts=true -e edgeops_report_dir="$report"
}
shown='ansible-playbook edgeops.observability.check -e edgeops_fail_on=drifted,findings -e edgeops_audit_scripts=true -e edgeops_report_dir=build/demo'

say 'An audit, of the scripts on its pages as well' "$shown"
audit
says '1 zone: 0 unaudited, 0 drifted, 0 with findings, 0 unmanaged, 1 compliant' || fails 'the audit does not find the zone compliant'
says '0 differences, 0 findings' || fails 'the audit does not find the script authorised'
edge journal "$control" reads
holds 'The zone is compliant, its script is authorised, and the audit wrote nothing.'

say 'Four visits at the edge' 'examples/demo/traffic.json, sent to the simulated edge'
edge send "$control" "$demo/traffic.json"

say 'What arrives in the bucket' 'errors only, without the health check, each with its custom fields'
edge logs "$work/bucket" t-1002 t-1004
holds 'The filter let through what it should, and the custom fields are there.'

say 'Someone switches the job off by hand, and the content of a script changes; the audit finds both' "$shown"
edge edit "$CLOUDFLARE_BASE_URL" edge-logs
edge journal "$control" writes >/dev/null
printf '%sedgeops-simulator script change https://js.pay.example/v3/pay.js%s\n' "$dim" "$plain"
script change
if audit; then
    fails 'the audit did not fail'
fi
says 'shop\.example difference: job edge-logs: enabled is false, should be true' || fails 'the audit did not name the difference'
says 'finding changed .*https://js\.pay\.example/v3/pay\.js' || fails 'the audit did not name the script'
edge journal "$control" reads
holds 'The audit names what differs and the script that changed, fails as asked, and wrote nothing.'

say 'The report on the zone' 'the verdict comes first, then what to do and what is new; open it in a browser'
grep -oE '1 changed script in 1 zone; 1 zone drifted\.' "$work/output" | sed 's/^/  /' || fails 'the report has no verdict'
edge report "$report/report.json" enabled changed || fails 'the report does not hold what the audit found'
printf '  %s\n' "$report/report.html"

say 'The whole account, without an inventory' 'ansible-playbook edgeops.observability.survey -e edgeops_audit_scripts=true -e edgeops_report_dir=build/demo/survey'
printf '%sedgeops-simulator script report https://js.pay.example/v3/pay.js%s\n' "$dim" "$plain"
script report
ansible-playbook edgeops.observability.survey -e edgeops_audit_scripts=true -e edgeops_report_dir="$report/survey" 2>&1 | tee "$work/output"
says 'finding reported .*https://js\.pay\.example/v3/pay\.js' || fails 'the survey did not find the script that was reported'
edge journal "$control" reads
grep -oE '1 reported script in 1 zone; 1 account unmanaged\.' "$work/output" | sed 's/^/  /' || fails 'the survey has no verdict'
printf '  %s\n' "$report/survey/report.html"
holds 'The survey needs a token alone, finds what is reported, and wrote nothing.'
rule() { play "$demo/enforce.yml" -e "$1" >/dev/null; }
say 'A content security rule: logged first, refused while it would block, enforced' 'ansible-playbook examples/demo/enforce.yml -e checkout_action=allow'
rule checkout_action=log || fails 'the rule was not created'
edge violate "$control" https://cdn.fraud.example/check.js
if rule checkout_action=allow; then
    fails 'a rule that would block was enforced'
fi
grep -oE 'would block 1 source [^;]*check\.js \([^)]*\)' "$work/output" | head -n 1 | sed 's/^/  /' || fails 'the refusal does not name the script'
rule '{"checkout_action": "allow", "checkout_scripts": [{"name": "fraud-check", "url": "https://cdn.fraud.example/check.js"}]}' || fails 'the rule was not enforced'
edge journal "$control" writes
holds 'The rule was refused while it would have blocked a script, and enforces the baseline that has it.'
printf '\n%sEverything that was said above has held.%s\n' "$bold" "$plain"
