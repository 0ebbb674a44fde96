import { join, resolve } from 'node:path';

/** A transfer to try, as lines to paste into a shell. They read the key from its file, so that it appears in no log. */
export function transferToTry(baseUrl: string, dataDir: string): string {
  const file = join(resolve(dataDir), 'sandbox.json');
  return [
    'A transfer to try, in another shell:',
    `  KEY=$(node -p "require('${file}').operator_key")`,
    `  post() { curl -s "${baseUrl}/v1/$1" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d "$2"; }`,
    `  id() { node -pe 'JSON.parse(require("fs").readFileSync(0)).account_id'; }`,
    `  ALICE=$(post accounts '{"name":"Alice"}' | id); BOB=$(post accounts '{"name":"Bob"}' | id)`,
    `  post sandbox/faucet '{"account_id":"'$ALICE'","amount":"10"}'`,
    `  post transfers '{"from":"'$ALICE'","to":"'$BOB'","amount":"1.50","idempotency_key":"'$(date +%s)'"}'`,
  ].join('\n');
}
