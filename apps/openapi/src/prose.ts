/** The texts of the document that belong to no route. */

export const INFO = {
  title: 'Agent Payment Service',
  description: [
    'USDC accounts on Solana for software agents, with spending policies that the chain enforces.',
    'Amounts are decimal strings in USDC, never floating-point numbers. Times are ISO 8601 in UTC. Unknown fields of requests are refused; new ' +
      'members of responses may be added at any time.',
    'Requests that spend carry an `idempotency_key`: repeat a request whose outcome you do not know with the same key, and it executes once. A ' +
      'decline (402) is final for its key.',
    'An unknown path answers 404 `not_found`. A method that a path does not take answers 405 `method_not_allowed`, with `Allow`.',
    'Lists are newest first. `cursor` of a page is the `cursor` of the next request, and null on the last page.',
  ].join('\n\n'),
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

/** The first part of the path below /v1, and what it is about, in the order of the reference. */
export const TAGS: Record<string, string> = {
  accounts: 'Accounts, their policies, spending and history.',
  fleets: 'One policy, one set of limits and one pause for many accounts.',
  jobs: 'Bulk jobs: changes of many accounts.',
  transfers: 'Payments to accounts and addresses.',
  transactions: 'The history of all accounts.',
  usage: 'Sums of what was spent and declined.',
  payments: 'Calls of paid APIs, by MPP and x402.',
  sessions: 'Caps that are set aside for one provider, for many small payments.',
  purses: 'On-chain allowances for many x402 payments.',
  services: 'Paid services in the catalogues that the operator allows.',
  providers: 'Pinned providers: whom a host may be paid as.',
  api_keys: 'API keys of operators and agents.',
  me: 'The key of the request.',
  audit_log: 'Who changed what.',
  event_types: 'What webhooks may subscribe to.',
  webhooks: 'Where events are delivered to.',
  deliveries: 'Single deliveries of events.',
  events: 'Events of the last 30 days.',
  operators: 'The operator and its chain key.',
  signature_requests: 'Transactions that an operator who holds its chain key itself is asked to sign.',
  sandbox: 'Test USDC and the clock of a local chain. On other chains these routes do not exist: 404.',
  health: 'For load balancers.',
};

/** By tag and parameter. */
export const PATH_PARAMETERS: Record<string, string> = {
  'accounts.id': 'An `account_id`.',
  'fleets.id': 'A `fleet_id`.',
  'transfers.id': 'A `transfer_id`.',
  'payments.id': 'A `payment_id`.',
  'sessions.id': 'A `session_id`.',
  'purses.id': 'A `purse_id`.',
  'providers.host': 'A host, such as `api.example.com`, with its port where it is not 443.',
  'api_keys.id': 'A `key_id`.',
  'webhooks.id': 'A `webhook_id`.',
  'deliveries.id': 'A `delivery_id`.',
  'jobs.id': 'A `job_id`.',
  'events.id': 'The id of an event.',
  'signature_requests.id': 'A `signature_request_id`.',
};
