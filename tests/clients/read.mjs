// SPDX-License-Identifier: GPL-3.0-or-later
// Reads everything that a zone and an account have with the vendor's SDK for TypeScript: read.mjs BASE_URL TOKEN ZONE ACCOUNT.
// Prints a line of JSON for each call: its name and what the SDK returned.
import Cloudflare from 'cloudflare';

const [baseURL, apiToken, zone_id, account_id] = process.argv.slice(2);
const sdk = new Cloudflare({ baseURL, apiToken, maxRetries: 0 });
const all = async (pages) => {
  const items = [];
  for await (const item of pages) items.push(item);
  return items;
};
const calls = {
  'zones.list': () => all(sdk.zones.list()),
  'zones.get': () => sdk.zones.get({ zone_id }),
  'accounts.list': () => all(sdk.accounts.list()),
  'user.tokens.verify': () => sdk.user.tokens.verify(),
  'page_shield.get': () => sdk.pageShield.get({ zone_id }),
  'page_shield.scripts.list': () => all(sdk.pageShield.scripts.list({ zone_id })),
  'page_shield.policies.list': () => all(sdk.pageShield.policies.list({ zone_id })),
  'rulesets.list': () => all(sdk.rulesets.list({ zone_id })),
  'rulesets.phases.get': () => sdk.rulesets.phases.get('http_log_custom_fields', { zone_id }),
  'logpush.jobs.list': () => all(sdk.logpush.jobs.list({ zone_id })),
  'logpush.datasets.fields.get': () => sdk.logpush.datasets.fields.get('http_requests', { zone_id }),
  'alerting.available_alerts.list': () => sdk.alerting.availableAlerts.list({ account_id }),
  'alerting.policies.list': () => all(sdk.alerting.policies.list({ account_id })),
  'alerting.destinations.webhooks.list': () => all(sdk.alerting.destinations.webhooks.list({ account_id })),
};
for (const [name, call] of Object.entries(calls)) console.log(JSON.stringify([name, await call()]));
