/** Types of the API, made of docs/openapi.json by `npm run docs:openapi`. Do not edit. */
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reports that the process is up
         * @description Reports that the process is up
         */
        get: operations["health.health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reports whether the service can take requests: 503 while it cannot reach its database, or is stopping
         * @description Reports whether the service can take requests: 503 while it cannot reach its database, or is stopping
         */
        get: operations["health.ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the accounts
         * @description While the chain is unavailable, balances are the last known ones, and `balance_as_of` says when they were read.
         *
         *     For operator keys.
         */
        get: operations["accounts.list"];
        put?: never;
        /**
         * Creates an account
         * @description Its accounts on chain are created with it. `handle` and `chain_address` never change. A creation whose outcome is unknown answers 503 and is finished by the service: repeat it with the same `Idempotency-Key`, or list the accounts.
         *
         *     For operator keys.
         */
        post: operations["accounts.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns an account with its balance and policy, read from the chain
         * @description For operator keys.
         */
        get: operations["accounts.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the name, the metadata or the labels of an account
         * @description For operator keys.
         */
        patch: operations["accounts.change"];
        trace?: never;
    };
    "/v1/accounts/{id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the balance of an account, read from the chain
         * @description For operator keys.
         */
        get: operations["accounts.balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes an account for ever, after moving its balance to a destination
         * @description For operator keys.
         */
        post: operations["accounts.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/fleet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Puts an account into a fleet, or out of any
         * @description 409 while sessions, purses or charges of the account reserve amounts. What left before joining does not count in the fleet. An account that leaves without a policy of its own gets a paused one. Joining needs no signature of the operator, leaving does.
         *
         *     For operator keys.
         */
        put: operations["accounts.setFleet"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the hosts that an account may pay
         * @description For operator keys.
         */
        get: operations["accounts.showHosts"];
        /**
         * Sets the hosts that an account may pay
         * @description The service enforces them, and not the chain: before any request leaves, for payments, sessions and purses. `null` allows all, `[]` none.
         *
         *     For operator keys.
         */
        put: operations["accounts.setHosts"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the policy of an account, read from the chain
         * @description For operator keys.
         */
        get: operations["accounts.policy"];
        /**
         * Changes the policy of an account
         * @description Omitted fields stay, and `null` resets a field to its default. A body with only `paused: true` always succeeds. A 503 may still have taken effect: read the policy. 202 `signature_required`: the operator holds the chain key, and must sign the change.
         *
         *     For operator keys.
         */
        put: operations["accounts.setPolicy"];
        post?: never;
        /**
         * Ends the own policy of an account in a fleet: only the fleet's policy and limits bind it from then on
         * @description 204. 409 for an account outside of a fleet. 202 `signature_required`: the operator holds the chain key, and must sign.
         *
         *     For operator keys.
         */
        delete: operations["accounts.deletePolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/rotate_authority": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives an account a new authority key, which signs its orders
         * @description For operator keys.
         */
        post: operations["accounts.rotateAuthority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns what an account may still spend now, and when spent amounts come free again
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["accounts.spending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/statement": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the statement of an account for a month: its records between the opening and the closing balance
         * @description With `Accept: text/csv` as CSV: the columns of `GET /v1/transactions` and `balance_usdc`, with a first row of type `opening` and a last one of type `closing`. The running month ends now, and agrees with the chain: while a payment is on its way, the answer is 503.
         *
         *     Agent keys may call it, for their own accounts.
         */
        get: operations["accounts.statement"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/sweep": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves USDC that arrived at a closed account
         * @description For operator keys.
         */
        post: operations["accounts.sweep"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/{id}/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the history of an account: transfers, deposits, settled sessions and rejections
         * @description For operator keys.
         */
        get: operations["accounts.transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/accounts/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes many accounts by one request
         * @description The job and its list of accounts are stored before the 202, and the service does the rest: read the job. A `pause` begins at once; other jobs run one after the other. An account that does not exist is a failure of the job. Where the operator holds the chain key, `signature_requests` are the transactions to sign, each for as many accounts as fit. The body may have 1 MiB.
         *
         *     For operator keys.
         */
        post: operations["accounts.bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api_keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the API keys, without their secrets
         * @description For operator keys.
         */
        get: operations["api_keys.list"];
        put?: never;
        /**
         * Creates an API key. The response is the only one that contains `key`
         * @description For operator keys.
         */
        post: operations["api_keys.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api_keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revokes an API key at once. The last operator key cannot be revoked
         * @description For operator keys.
         */
        delete: operations["api_keys.revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit_log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists who changed what
         * @description The entries are a chain: `hash` is the SHA-256, in hexadecimal, of the entry's canonical JSON (RFC 8785) without `hash`, and `previous_hash` is the hash of the entry before it. A change on chain is recorded before it is sent: the chain may have refused it.
         *
         *     For operator keys.
         */
        get: operations["audit_log.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a delivery with its latest attempts
         * @description For operator keys.
         */
        get: operations["deliveries.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a delivery again
         * @description For operator keys.
         */
        post: operations["deliveries.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/send": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the attempt of a delivery that waits now, in place of the scheduled one
         * @description For operator keys.
         */
        post: operations["deliveries.send"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/event_types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the event types that a webhook may subscribe to, and when each fires
         * @description For operator keys.
         */
        get: operations["event_types.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the events of the last 30 days
         * @description For operator keys.
         */
        get: operations["events.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns an event
         * @description For operator keys.
         */
        get: operations["events.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the fleets
         * @description For operator keys.
         */
        get: operations["fleets.list"];
        put?: never;
        /**
         * Creates a fleet
         * @description `policy` binds each member by itself, `limits` all members together. A creation whose outcome is unknown answers 503 and is finished by the service: repeat it with the same `Idempotency-Key`, or list the fleets. 202 `signature_required`: the operator holds the chain key.
         *
         *     For operator keys.
         */
        post: operations["fleets.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a fleet, read from the chain
         * @description For operator keys.
         */
        get: operations["fleets.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes the name or the metadata of a fleet
         * @description For operator keys.
         */
        patch: operations["fleets.change"];
        trace?: never;
    };
    "/v1/fleets/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes a fleet without members for ever. A closed one stays so
         * @description For operator keys.
         */
        post: operations["fleets.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{id}/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the limits of all members of a fleet together, read from the chain
         * @description For operator keys.
         */
        get: operations["fleets.limits"];
        /**
         * Changes the limits of all members of a fleet together. Omitted ones stay, and `null` removes one
         * @description For operator keys.
         */
        put: operations["fleets.setLimits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pauses a fleet: from the next slot on no member pays
         * @description That holds for transfers, openings, top-ups, purses and payments inside sessions. Open purses are then finished one by one, by the job `job_id`. A paused fleet stays so. Needs no signature of the operator.
         *
         *     For operator keys.
         */
        post: operations["fleets.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{id}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the policy of a fleet, read from the chain
         * @description For operator keys.
         */
        get: operations["fleets.policy"];
        /**
         * Changes the policy of a fleet
         * @description It binds each member by itself. Omitted fields stay, and `null` resets a field to its default. A body with only `paused: true` always succeeds, and needs no signature of the operator.
         *
         *     For operator keys.
         */
        put: operations["fleets.setPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resumes a fleet. One that is not paused stays so
         * @description For operator keys.
         */
        post: operations["fleets.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fleets/{id}/spending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns what the members of a fleet may still spend together, and when spent amounts come free again
         * @description For operator keys.
         */
        get: operations["fleets.spending"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the bulk jobs of the last 90 days
         * @description For operator keys.
         */
        get: operations["jobs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a bulk job with the accounts that failed
         * @description For operator keys.
         */
        get: operations["jobs.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the accounts of a bulk job, in the order of the call
         * @description For operator keys.
         */
        get: operations["jobs.accounts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a bulk job
         * @description Accounts in work are finished, and no other is begun. What was changed stays. Repeating it is safe; a finished job answers 409.
         *
         *     For operator keys.
         */
        post: operations["jobs.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the key of the request, its operator, the accounts that an agent key names, in the key's order, and its fleets
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["me.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/catalogues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the catalogues in which the operator's agents find services
         * @description For operator keys.
         */
        get: operations["operators.showCatalogues"];
        /**
         * Sets the catalogues in which the operator's agents find services
         * @description A catalogue is the URL of an x402 facilitator's discovery resources, or of a JSON list. One that cannot be read is left out.
         *
         *     For operator keys.
         */
        put: operations["operators.setCatalogues"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/chain_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hands all accounts to a chain key that the operator holds itself
         * @description From then on the service holds no key that can change a policy, approve, rotate or close: it asks for a signature. Many accounts are handed over after the answer: `GET /v1/operators/me` shows when all are. Where the operator holds the key before too, 202 `signature_required`.
         *
         *     For operator keys.
         */
        post: operations["operators.setChainKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/chain_key/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Returns the text that the operator’s own chain key must sign to accept the accounts. It replaces the one before
         * @description For operator keys.
         */
        post: operations["operators.challenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns the operator, its chain key, and who holds it
         * @description For operator keys.
         */
        get: operations["operators.me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/rotate_key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives the operator a new chain key that the service holds, on all its accounts
         * @description For operator keys.
         */
        post: operations["operators.rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the payments
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["payments.list"];
        put?: never;
        /**
         * Calls a paid API, and pays what it asks for
         * @description The service sends the request, meets the 402, checks the price against the policy and `max_amount`, pays, and repeats the request once. An API that asks for nothing is `free`. With `request.stream`, or `Accept: text/event-stream`, the answer of an API that serves the request is passed on as it comes: its status, headers and body, after `Payment-Id` and `Payment-Status`. A 202 with status `unknown` is resolved later and never paid twice: poll it, or repeat the request with the same key.
         *
         *     Agent keys may call it, for their own accounts.
         */
        post: operations["payments.pay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a payment
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["payments.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns everything that proves a payment, for a dispute
         * @description The request, the 402 as it came, the policy that decided, what was sent to pay, the transaction, the digest of the answer, and the signed offers and receipts of the seller with their verification. In headers each value that may be a credential is replaced by its SHA-256. The answer is the same each time once the payment is final.
         *
         *     Agent keys may call it, for their own accounts.
         */
        get: operations["payments.showEvidence"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Records the receipt of a payment that was authorized
         * @description Agent keys may call it, for their own accounts.
         */
        post: operations["payments.receipt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Checks the price that an API asked for, and returns the credential to pay with, for agents with an HTTP client of their own
         * @description Agent keys may call it, for their own accounts.
         */
        post: operations["payments.authorize"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the pinned providers
         * @description For operator keys.
         */
        get: operations["providers.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/providers/{host}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a pinned provider
         * @description For operator keys.
         */
        get: operations["providers.show"];
        /**
         * Replaces what is known of a provider, by at least one member
         * @description Payments at this host go to `payee`, for `categories`, or are declined. `max_seconds` and `max_bytes` say how long and how much of its answers is read, and `wallet_programs` whether its facilitator takes transfers of this service's program.
         *
         *     For operator keys.
         */
        put: operations["providers.put"];
        post?: never;
        /**
         * Unpins a provider
         * @description For operator keys.
         */
        delete: operations["providers.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the purses
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["purses.list"];
        put?: never;
        /**
         * Opens a purse: one on-chain allowance for many x402 payments, or with `kind: "channel"` an amount for channels to metered sellers
         * @description `amount` is judged by the policy as one transfer and counts as reserved. An account has one open allowance purse or charge at a time, and any number of channel purses.
         *
         *     Agent keys may call it, for their own accounts.
         */
        post: operations["purses.open"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a purse; a channel purse with its newest 100 channels
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["purses.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a purse that waits for an operator, and opens it
         * @description 202 `signature_required`: the operator holds the chain key, and must sign it.
         *
         *     For operator keys.
         */
        post: operations["purses.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses/{id}/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the payment channels of a channel purse
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["purses.channels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes a purse. What it did not spend is the account's again
         * @description A channel purse is `closing` until its last channel is gone, or its deadline: 202.
         *
         *     Agent keys may call it, for their own accounts.
         */
        post: operations["purses.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses/{id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Denies a purse that waits for an operator
         * @description For operator keys.
         */
        post: operations["purses.deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/purses/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the payments of a purse
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["purses.ofPurse"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves the chain's clock forward
         * @description For operator keys.
         */
        post: operations["sandbox.clock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/faucet": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mints test USDC to an account
         * @description For operator keys.
         */
        post: operations["sandbox.faucet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Finds services that an account could pay now, cheapest first
         * @description They stand in the catalogues that the operator allows. Each is checked as the dry run of a payment is, but for the call of the service: its price may have changed since.
         *
         *     Agent keys may call it, for their own accounts.
         */
        get: operations["services.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the sessions
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["sessions.list"];
        put?: never;
        /**
         * Opens a session: a cap that is set aside for one provider
         * @description The cap counts as reserved. Payments of the session need no transaction each; the provider is paid once, when the session closes.
         *
         *     Agent keys may call it, for their own accounts.
         */
        post: operations["sessions.open"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a session
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["sessions.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves an opening or a top-up that waits for an operator
         * @description 202 `signature_required`: the operator holds the chain key, and must sign it.
         *
         *     For operator keys.
         */
        post: operations["sessions.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Closes a session. 200 also where it is settled already, 202 while its grace period runs
         * @description Agent keys may call it, for their own accounts.
         */
        post: operations["sessions.close"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Denies an opening or a top-up that waits for an operator
         * @description For operator keys.
         */
        post: operations["sessions.deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the payments of a session
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["sessions.ofSession"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{id}/top_up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds to the cap of an open session
         * @description Agent keys may call it, for their own accounts.
         */
        post: operations["sessions.topUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signature_requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the signature requests
         * @description For operator keys.
         */
        get: operations["signature_requests.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signature_requests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a signature request
         * @description For operator keys.
         */
        get: operations["signature_requests.show"];
        put?: never;
        /**
         * Takes the transaction back, signed, and does what waits for it
         * @description Answers as the first call would have: with its status and body, or 202 `signature_required` where a further transaction must be signed. Repeating it is safe. 400: the transaction is not the one that was asked for, or the signature is not valid.
         *
         *     For operator keys.
         */
        post: operations["signature_requests.submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signature_requests/{id}/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the transaction again with a new blockhash, to be signed instead of one that has expired
         * @description 409 with status `completed`: it needs no signature any more, and is done.
         *
         *     For operator keys.
         */
        post: operations["signature_requests.renew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the history of all accounts
         * @description With `Accept: text/csv` the whole result is sent as CSV, and `limit` and `cursor` do not apply. Returns the page that it sent.
         *
         *     Agent keys may call it, for their own accounts.
         */
        get: operations["transactions.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the transfers
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["transfers.list"];
        put?: never;
        /**
         * Pays an account or an address
         * @description The chain enforces the policy. 200: settled. 202 with status `pending_approval`: an operator must approve it. 202 with status `submitted`: the outcome is not known yet; poll it, or repeat the request with the same key. A decline is 402 and final for its key.
         *
         *     Agent keys may call it, for their own accounts.
         */
        post: operations["transfers.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transfers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a transfer
         * @description Agent keys may call it, for their own accounts.
         */
        get: operations["transfers.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transfers/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a transfer that waits for an operator, and executes it
         * @description All rules are checked again. 202 `signature_required`: the operator holds the chain key, and must sign the transfer.
         *
         *     For operator keys.
         */
        post: operations["transfers.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transfers/{id}/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Denies a transfer that waits for an operator
         * @description For operator keys.
         */
        post: operations["transfers.deny"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Spent and declined amounts by group
         * @description By `label` a record counts in each label that its account has now, so that the groups may add up to more than `total`.
         *
         *     For operator keys.
         */
        get: operations["usage.show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the webhooks
         * @description For operator keys.
         */
        get: operations["webhooks.list"];
        put?: never;
        /**
         * Registers a webhook. The response contains its `secret`
         * @description For operator keys.
         */
        post: operations["webhooks.create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Returns a webhook
         * @description For operator keys.
         */
        get: operations["webhooks.get"];
        put?: never;
        post?: never;
        /**
         * Deletes a webhook
         * @description For operator keys.
         */
        delete: operations["webhooks.remove"];
        options?: never;
        head?: never;
        /**
         * Changes a webhook
         * @description For operator keys.
         */
        patch: operations["webhooks.change"];
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the deliveries of a webhook
         * @description For operator keys.
         */
        get: operations["webhooks.listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends all undelivered events of a webhook again
         * @description For operator keys.
         */
        post: operations["webhooks.replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes every delivery of a webhook that waits for its next attempt due now
         * @description For operator keys.
         */
        post: operations["webhooks.retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate_secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives a webhook a new secret. For 24 hours the old one signs too
         * @description For operator keys.
         */
        post: operations["webhooks.rotateSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a `webhook.test` event to a webhook, whatever it subscribes to
         * @description For operator keys.
         */
        post: operations["webhooks.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "balance.low_threshold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The balance of an account fell below the threshold of a webhook
         * @description The balance of an account fell below the threshold of a webhook. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.balance.low_threshold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "escalation.required": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An order reached escalation_threshold and waits for an operator
         * @description An order reached escalation_threshold and waits for an operator. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.escalation.required"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fee_payer.low": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The fee payer of the service fell below its reserve: only pauses, approvals, denials, rotations and endings are sent
         * @description The fee payer of the service fell below its reserve: only pauses, approvals, denials, rotations and endings are sent. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.fee_payer.low"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fleet.member_joined": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An account joined a fleet
         * @description An account joined a fleet. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.fleet.member_joined"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fleet.member_left": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An account left a fleet
         * @description An account left a fleet. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.fleet.member_left"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fleet.paused": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A fleet is paused: its members pay nothing
         * @description A fleet is paused: its members pay nothing. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.fleet.paused"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fleet.policy_changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The policy or the limits of a fleet changed: names of limits begin with “limits.”
         * @description The policy or the limits of a fleet changed: names of limits begin with “limits.”. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.fleet.policy_changed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "fleet.resumed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A fleet is resumed
         * @description A fleet is resumed. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.fleet.resumed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "job.finished": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A bulk job ended: every account had its turn, or it was cancelled
         * @description A bulk job ended: every account had its turn, or it was cancelled. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.job.finished"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "purse.closed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A purse ended
         * @description A purse ended. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.purse.closed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "purse.opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A purse opened, and its amount is approved on chain
         * @description A purse opened, and its amount is approved on chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.purse.opened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "purse.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Money of a channel purse came home after it was closed: it restores no limit
         * @description Money of a channel purse came home after it was closed: it restores no limit. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.purse.refunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "purse.reversed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The opening or the end of a purse is not on the finalized chain
         * @description The opening or the end of a purse is not on the finalized chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.purse.reversed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.cap_reached": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The cap of a session is used up
         * @description The cap of a session is used up. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.session.cap_reached"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.cap_warning": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The payments of a session exceed 80 percent of its cap
         * @description The payments of a session exceed 80 percent of its cap. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.session.cap_warning"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.opened": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A session opened, and its cap is in escrow on chain
         * @description A session opened, and its cap is in escrow on chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.session.opened"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.reversed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The opening or the end of a session is not on the finalized chain
         * @description The opening or the end of a session is not on the finalized chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.session.reversed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "session.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A session closed and settled on chain
         * @description A session closed and settled on chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.session.settled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transfer.initiated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A transfer passed the policy check and is submitted to the chain
         * @description A transfer passed the policy check and is submitted to the chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.transfer.initiated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transfer.rejected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A rule declined a transfer, an operator denied it, or its approval expired
         * @description A rule declined a transfer, an operator denied it, or its approval expired. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.transfer.rejected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transfer.reversed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A transfer, or a single payment to a provider, that had settled is not on the finalized chain
         * @description A transfer, or a single payment to a provider, that had settled is not on the finalized chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.transfer.reversed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transfer.settled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A transfer, or a single payment to a provider, settled on chain
         * @description A transfer, or a single payment to a provider, settled on chain. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.transfer.settled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * `POST /v1/webhooks/:id/test` was called
         * @description `POST /v1/webhooks/:id/test` was called. Verify the signature before you read the body. Deliveries may repeat: process each event id once.
         */
        post: operations["webhook.webhook.test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description An account, as the API shows it. Amounts in USDC. */
        Account: {
            account_id: string;
            /**
             * Format: date-time
             * @description When the balance was read, only where the chain is unavailable now.
             * @example 2026-03-01T12:00:00.000Z
             */
            balance_as_of?: string;
            /** @example 12.500000 */
            balance_usdc: string;
            chain_address: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @enum {string} */
            custody_mode: "custodial";
            /** @description The fleet that it is in; null outside of a fleet. */
            fleet_id: string | null;
            handle: string;
            /**
             * @description The amount that its open sessions hold. Not part of the balance.
             * @example 12.500000
             */
            held_usdc: string;
            /** @description Words for filters and bulk jobs, sorted. */
            labels: string[];
            metadata: {
                [key: string]: unknown;
            };
            name: string;
            policy: components["schemas"]["PolicyFields"];
            /** @enum {string} */
            status: "active" | "closed" | "paused";
            usdc_token_account: string;
        };
        /** @description One page of a list, newest first. */
        AccountPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Account"][];
            has_more: boolean;
        };
        /** @description The account is paused. */
        AccountPausedError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "account_paused";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            policy?: components["schemas"]["Violation"];
            purse_id?: string;
            /** @description A rule of the policy, `insufficient_balance`, `denied`, `approval_expired`, or a payment's own reason such as `max_amount`. */
            rejection_reason: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @enum {string} */
            status: "rejected";
            transfer_id?: string;
        };
        AdvanceClock: {
            advance_seconds: number;
        };
        /** @description An answer as evidence. */
        AnswerEvidence: {
            /** @description Of the body as far as it was read; null while it is passed on. */
            body_sha256: string | null;
            headers: {
                [key: string]: string;
            };
            status: number;
            /** @description The body is longer than what was read. */
            truncated?: boolean;
        };
        /** @description A key, as the API shows it. */
        ApiKey: {
            account_ids: string[] | null;
            allowed_hosts: string[] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            /** @description The fleets whose members it may use; null for an operator key. */
            fleet_ids: string[] | null;
            key_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            last_used_at: string | null;
            /** @description The address that it was last noted to be used from, at most once an hour. */
            last_used_ip: string | null;
            /**
             * Format: date-time
             * @description When that address was noted.
             * @example 2026-03-01T12:00:00.000Z
             */
            last_used_ip_at: string | null;
            name: string | null;
            prefix: string;
            /** @enum {string} */
            type: "agent" | "operator";
        };
        /** @description One page of a list, newest first. */
        ApiKeyPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["ApiKey"][];
            has_more: boolean;
        };
        /** @description The approval of the session, purse or charge that pays. */
        Approval: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            approved_at: string | null;
            /** @description The API key that approved it. */
            approved_by: string | null;
            /** @description The session, purse or charge. */
            id: string;
        };
        /** @description One request to the receiver. */
        Attempt: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @description The number of the attempt, from 1. Replays continue it. */
            attempt: number;
            duration_ms: number;
            /** @description Why the attempt failed; null where it succeeded. */
            error: string | null;
            /** @description At most 8 KiB of the response's body, as text; null where there was no response. */
            response_excerpt: string | null;
            /** @description Null where there was no response. */
            status_code: number | null;
        };
        /** @description An entry of the audit log, as the API shows it. */
        AuditEntry: {
            /** @enum {string} */
            action: "account.changed" | "account.closed" | "account.created" | "account.fleet_changed" | "account.hosts_changed" | "account.swept" | "accounts.bulk" | "api_key.created" | "api_key.revoked" | "authority_key.rotated" | "catalogues.changed" | "dashboard.signed_in" | "dashboard.signed_out" | "fleet.changed" | "fleet.closed" | "fleet.created" | "fleet.limits_changed" | "fleet.policy_changed" | "job.cancelled" | "operator.created" | "operator_key.handed_over" | "operator_key.rotated" | "policy.changed" | "policy.ended" | "provider.pinned" | "provider.unpinned" | "purse.approved" | "purse.denied" | "session.approved" | "session.denied" | "top_up.approved" | "top_up.denied" | "transfer.approved" | "transfer.denied" | "webhook.changed" | "webhook.created" | "webhook.deleted" | "webhook.secret_rotated";
            /** @description Who did it. `service`: the command line on the server, which needs no API key. */
            actor: {
                key_id: string | null;
                /** @enum {string} */
                type: "agent" | "operator" | "service";
            };
            /** @description The changed fields after. Null for a removed object. */
            after: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            at: string;
            /** @description The changed fields before. Null for a new object. */
            before: {
                [key: string]: unknown;
            } | null;
            /** @description SHA-256, in hexadecimal, of the canonical JSON (RFC 8785) of this object without `hash`. */
            hash: string;
            id: string;
            /** @description The address that the request came from. */
            ip: string | null;
            /** @description The id of what was changed; the host of a provider. */
            object: string;
            /** @description The hash of the entry before. Null for the operator's first. */
            previous_hash: string | null;
            /** @description Of the request that made the change, as its response's `X-Request-Id`. */
            request_id: string | null;
        };
        /** @description One page of a list, newest first. */
        AuditEntryPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["AuditEntry"][];
            has_more: boolean;
        };
        /** @description A credential for an agent that calls the provider itself. */
        Authorization: {
            /** @example 12.500000 */
            amount_usdc: string;
            authorization: string;
            /** @description The header that it goes into. */
            header: string;
            metadata?: {
                [key: string]: unknown;
            };
            payment_id: string;
            /** @description x402: the object in the header, for MCP's `_meta["x402/payment"]`. */
            payment_payload?: {
                [key: string]: unknown;
            };
            purse_id: string | null;
            reference?: string;
            session_id: string | null;
        };
        AuthorizePayment: {
            /** @description The account that pays, by its id or handle. */
            account_id: string;
            /** @description MPP: the values of the WWW-Authenticate headers that came with the 402. */
            challenges?: string[];
            /** @description The same key with the same parameters pays once. */
            idempotency_key?: string;
            /** @description The most that this one call may cost, in USDC. */
            max_amount: string;
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description x402, in place of challenges: the PAYMENT-REQUIRED header, or the PaymentRequired object of a version 1 body or of MCP. Version 1 has no name for a local chain: on one, `solana-devnet` stands for it where the mint is its own. */
            payment_required?: string | {
                [key: string]: unknown;
            };
            /** @description An open purse out of which it is to be paid, by x402. */
            purse_id?: string;
            /** @description The caller's own name of it, such as an invoice number. At most 128 characters. Lists filter by it. */
            reference?: string;
            /** @description With the same key again: the error with which the provider refused the credential (x402: `errorReason` of the PAYMENT-RESPONSE, or `error` of the new demand). Returns the credential of the next way to pay, if there is one, else the same credential. */
            refused?: string;
            /** @description Out of which it is to be paid. */
            session_id?: string;
            /** @description What was called. */
            url: string;
        };
        Balance: {
            account_id: string;
            /** @example 12.500000 */
            balance_usdc: string;
            /**
             * @description The amount that its open sessions hold. Not part of the balance.
             * @example 12.500000
             */
            held_usdc: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            last_updated: string;
        };
        /** @description The balance of an account fell below the threshold of a webhook. */
        BalanceLowThresholdEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                balance_usdc: string;
                usdc_token_account: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "balance.low_threshold";
        };
        /** @description A rule that declined a payment, with its numbers. */
        BrokenRule: {
            message: string;
            rule: string;
        } & {
            [key: string]: unknown;
        };
        Bulk: {
            /** @description The accounts, by id or handle. One that does not exist is a failure of the job, and refuses nothing. */
            account_ids?: string[];
            /** @enum {string} */
            action: "pause" | "resume" | "set_policy" | "add_labels" | "remove_labels" | "set_fleet";
            /**
             * @description Every account that is not closed, those in creation included.
             * @constant
             */
            all?: true;
            /** @description The accounts that are in this fleet now and are not closed. */
            fleet_id?: string;
            /** @description The accounts that have this label now and are not closed. */
            label?: string;
            /** @description The labels to add or remove, required with `add_labels` and `remove_labels` alone. */
            labels?: string[];
            /** @description The fleet to move the accounts into, or null to take them out of theirs: required with `set_fleet` alone. */
            new_fleet_id?: string | null;
            /** @description The fields to change, required with `set_policy` alone. Merged into each policy, as by `PUT`. */
            policy?: components["schemas"]["UpdatePolicy"];
        };
        /** @description The answer to a dry run. Nothing was stored. */
        BulkDryRun: {
            /** @enum {string} */
            action: "add_labels" | "end_purses" | "pause" | "remove_labels" | "resume" | "set_fleet" | "set_policy";
            /** @description The changes, compared with the service's last read of each account. */
            changes: string[];
            dry_run: boolean;
            total: number;
        };
        /** @description The catalogues of an operator. */
        Catalogues: {
            /**
             * Format: date-time
             * @description When they were set; null if they never were.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string | null;
            urls: string[];
        };
        /** @description An operator and its chain key. */
        ChainKey: {
            /** @description The key that the operator’s accounts obey on chain, in base58. */
            chain_key: string;
            /**
             * @description Who holds it: this service, or the operator itself.
             * @enum {string}
             */
            chain_key_custody: "external" | "service";
            name: string;
            operator_id: string;
            /** @description The key that the accounts are being handed to; null where none is. */
            pending_chain_key: string | null;
        };
        /** @description The challenge that the next chain key must sign. */
        ChainKeyChallenge: {
            /** @description A text; its UTF-8 bytes are signed. */
            challenge: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
        };
        /** @description The chain cannot be reached, or is too far behind. Nothing is lost. */
        ChainUnavailableError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "chain_unavailable";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            purse_id?: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @enum {string} */
            status?: "failed";
            transfer_id?: string;
        };
        ChangeAccount: {
            /** @description Replaces the labels. Null and an empty list remove all. */
            labels?: string[] | null;
            /** @description Keys to set; a key with the value null is removed, the others stay. Null removes all. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description A label for people. Not unique. */
            name?: string;
        };
        ChangeFleet: {
            /** @description Keys to set; a key with the value null is removed, the others stay. Null removes all. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description A label for people. Not unique. */
            name?: string;
        };
        ChangeWebhook: {
            account_ids?: string[] | null;
            events?: ("transfer.initiated" | "transfer.settled" | "transfer.rejected" | "transfer.reversed" | "session.opened" | "session.cap_warning" | "session.cap_reached" | "session.settled" | "session.reversed" | "purse.opened" | "purse.closed" | "purse.refunded" | "purse.reversed" | "balance.low_threshold" | "escalation.required" | "fleet.paused" | "fleet.resumed" | "fleet.policy_changed" | "fleet.member_joined" | "fleet.member_left" | "job.finished" | "fee_payer.low")[] | null;
            fleet_ids?: string[] | null;
            /** @description A changed threshold applies from now on: a balance that is below it already must reach it before it can fall below it. */
            low_balance_threshold_usdc?: number | null;
            /**
             * @description `paused` stops sending at once. Nothing is lost: pending and new deliveries wait until it is `active` again, for at most 30 days. To miss events, delete the webhook.
             * @enum {string}
             */
            status?: "active" | "paused";
            /**
             * Format: uri
             * @description Pending deliveries go to the new URL.
             */
            url?: string;
        };
        /** @description A payment channel of a channel purse. Amounts in USDC. */
        Channel: {
            channel_address: string;
            /** @example 12.500000 */
            deposit_usdc: string;
            /** @description The owner that is paid. */
            payee: string;
            /** @description The seller's origin. */
            seller: string;
            /**
             * @description The amount that the seller was paid; null until the channel is closed.
             * @example 12.500000
             */
            settled_usdc: string | null;
            /** @enum {string} */
            status: "closed" | "closing" | "open" | "opening";
        };
        /** @description One page of a list, newest first. */
        ChannelPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Channel"][];
            has_more: boolean;
        };
        CloseAccount: {
            /** @description Where the balance is moved: a USDC token account, or an account_id or handle of the operator. Without it the account must be empty. */
            destination?: string;
        };
        /** @description The state of the object, which `status` names, does not allow this. */
        ConflictError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "conflict";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            purse_id?: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @description The state of the object, which does not allow the request. */
            status: string;
            transfer_id?: string;
        };
        CreateAccount: {
            /** @description The fleet that it is created in, without a policy of its own. Omitted: none. */
            fleet_id?: string;
            /** @description Words for filters and bulk jobs, at most 16. */
            labels?: string[];
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description A label for people. Not unique. */
            name: string;
        };
        CreateApiKey: {
            /** @description The accounts of an agent key, 1 to 100; it has these, `fleet_ids`, or both. An operator key has all accounts and takes no list. */
            account_ids?: string[] | null;
            /** @description The hosts that an agent key may pay, such as api.example.com or *.example.com. Null or omitted: all; an empty list: none. */
            allowed_hosts?: string[] | null;
            /**
             * Format: date-time
             * @description When it expires. Null or omitted: never.
             */
            expires_at?: string | null;
            /** @description The fleets whose members an agent key may use, those that join later included, at most 10. An operator key takes no list. */
            fleet_ids?: string[] | null;
            /** @description For people, 1 to 100 characters. */
            name?: string | null;
            /**
             * @description An operator key may do everything, an agent key may spend from its accounts.
             * @enum {string}
             */
            type: "agent" | "operator";
        };
        CreateFleet: {
            /** @description The sums that all members together must not exceed. */
            limits?: components["schemas"]["UpdateLimits"];
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description A label for people. Not unique. */
            name: string;
            /** @description The policy that binds each member by itself. */
            policy?: components["schemas"]["UpdateFleetPolicy"];
        };
        CreatePayment: {
            /** @description The account that pays, by its id or handle. */
            account_id: string;
            /** @description The same key with the same parameters pays once. */
            idempotency_key?: string;
            /** @description The most that this one call may cost, in USDC. */
            max_amount: string;
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Opens a session for this and later calls. */
            open_session?: components["schemas"]["OpenSession"];
            /** @description An open purse out of which it is to be paid, by x402. */
            purse_id?: string;
            /** @description The caller's own name of it, such as an invoice number. At most 128 characters. Lists filter by it. */
            reference?: string;
            request: components["schemas"]["ProviderRequest"];
            /** @description Out of which it is to be paid. Without one, and without open_session, the call is charged by itself. */
            session_id?: string;
        };
        CreatePurse: {
            /** @description The account that pays, by its id or handle. */
            account_id: string;
            /** @description USDC, as a decimal string: the most that its payments may cost together. */
            amount: string;
            /** @description What the money is spent on, where the policy lists categories. */
            category?: string;
            /** @description From its opening on, by the chain's clock: 60 to 3,600, by default 900; of a channel purse 3,600 to 691,200, by default 86,400. */
            expires_in_seconds?: number;
            /** @description The only host that it may pay. */
            host?: string;
            /** @description The same key with the same parameters opens one purse. */
            idempotency_key?: string;
            /**
             * @description `allowance`, the default: a key that may move the amount, for x402 sellers of the scheme `exact`. `channel`: a key that holds the amount, out of which channels to metered sellers are opened; any number an account.
             * @enum {string}
             */
            kind?: "allowance" | "channel";
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The caller's own name of it, such as an invoice number. At most 128 characters. Lists filter by it. */
            reference?: string;
        };
        CreateSession: {
            /** @description The account whose money is set aside, by its id or handle. */
            account_id: string;
            /** @description USDC, as a decimal string: the most that the session may cost. */
            cap: string;
            /** @description The purpose of the money, where the policy lists categories. */
            category?: string;
            /** @description From its opening on, by the chain's clock. */
            expires_in_seconds?: number;
            /** @description How long the payee may still settle after a closing. */
            grace_seconds?: number;
            /** @description The same key with the same parameters opens one session. */
            idempotency_key?: string;
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Owner of the token account that is paid. */
            payee: string;
            /** @description The provider's origin, such as https://api.example.com. */
            provider: string;
            /** @description The caller's own name of it, such as an invoice number. At most 128 characters. Lists filter by it. */
            reference?: string;
        };
        CreateTransfer: {
            /** @description USDC, as a decimal string. */
            amount: string;
            /** @description The purpose of the money, where the policy lists categories. */
            category?: string;
            /** @description The account that pays. */
            from: string;
            /** @description The same key with the same parameters executes once. A handle, an id and a token account are compared as what they resolve to. */
            idempotency_key?: string;
            /** @description A note; its hash goes on chain. */
            memo?: string;
            /** @description Stored and returned, not interpreted. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description The caller's own name of it, such as an invoice number. At most 128 characters. Lists filter by it. */
            reference?: string;
            /** @description An account id or handle of the same operator, or the address of a USDC token account. */
            to: string;
        };
        CreateWebhook: {
            /** @description The accounts whose events to deliver, at most 100. Empty, null or omitted, without `fleet_ids`: all of the operator, including future ones. */
            account_ids?: string[] | null;
            /** @description The event types to deliver. Empty, null or omitted: all. */
            events?: ("transfer.initiated" | "transfer.settled" | "transfer.rejected" | "transfer.reversed" | "session.opened" | "session.cap_warning" | "session.cap_reached" | "session.settled" | "session.reversed" | "purse.opened" | "purse.closed" | "purse.refunded" | "purse.reversed" | "balance.low_threshold" | "escalation.required" | "fleet.paused" | "fleet.resumed" | "fleet.policy_changed" | "fleet.member_joined" | "fleet.member_left" | "job.finished" | "fee_payer.low")[] | null;
            /** @description The fleets whose events to deliver, and those of their members, at most 10. With `account_ids` or this, no other account's. */
            fleet_ids?: string[] | null;
            /** @description In USDC. `balance.low_threshold` is sent each time the balance of one of the accounts falls below it. Null or omitted: never. */
            low_balance_threshold_usdc?: number | null;
            /**
             * Format: uri
             * @description The URL that events are posted to: https, at most 2048 characters, without a user name, and not in a private network.
             */
            url: string;
        };
        /** @description What was decided about a 402, and by which policy. */
        Decision: {
            approval: components["schemas"]["Approval"] | null;
            policy: components["schemas"]["PolicyFields"] | null;
            /** @description The rules that declined the payment; none where it was allowed. */
            rules: components["schemas"]["BrokenRule"][];
            version: number;
        };
        /** @description The delivery of an event to a webhook. */
        Delivery: {
            /** @description The latest 20, oldest first. */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Format: date-time
             * @description When the event happened.
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            delivery_id: string;
            event_id: string;
            event_type: string;
            /**
             * Format: date-time
             * @description Null where no further attempt is scheduled.
             * @example 2026-03-01T12:00:00.000Z
             */
            next_attempt_at: string | null;
            /** @enum {string} */
            status: "delivered" | "pending" | "undelivered";
            webhook_id: string;
        };
        /** @description One page of a list, newest first. */
        DeliveryPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Delivery"][];
            has_more: boolean;
        };
        /** @description A 402 as it came. */
        DemandEvidence: {
            body_base64: string;
            headers: {
                [key: string]: string;
            };
            status: number;
            /** @description The body is longer than what is kept. */
            truncated?: boolean;
        };
        DenyPurse: {
            /** @description Shown to the requester. */
            reason?: string;
        };
        DenySession: {
            /** @description The reason, shown to the requester. */
            reason?: string;
        };
        DenyTransfer: {
            /** @description The reason, shown to the requester. */
            reason?: string;
        };
        /** @description The answer to a dry run of something that spends. */
        DryRun: {
            /** @description Whether the request would be executed, or wait for an approval. */
            allowed: boolean;
            /** @example 12.500000 */
            amount_usdc: string;
            decline?: {
                http_status: number;
            } & {
                [key: string]: unknown;
            };
            dry_run: boolean;
            /** @description The request repeats an earlier one: the real call would answer `Idempotent-Replayed`. */
            replay?: boolean;
            requires_approval: boolean;
        };
        /** @description An order reached escalation_threshold and waits for an operator. */
        EscalationRequiredEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                memo: string | null;
                metadata?: {
                    [key: string]: unknown;
                };
                purse_id?: string;
                reference?: string;
                session_id?: string;
                /** @example 12.500000 */
                threshold_usdc: string;
                /** @description Null for a purse. */
                to: string | null;
                transfer_id?: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "escalation.required";
        };
        /** @description An event, as the API shows it and as the body of a delivery. */
        Event: components["schemas"]["TransferInitiatedEvent"] | components["schemas"]["TransferSettledEvent"] | components["schemas"]["TransferRejectedEvent"] | components["schemas"]["TransferReversedEvent"] | components["schemas"]["SessionOpenedEvent"] | components["schemas"]["SessionCapWarningEvent"] | components["schemas"]["SessionCapReachedEvent"] | components["schemas"]["SessionSettledEvent"] | components["schemas"]["SessionReversedEvent"] | components["schemas"]["PurseOpenedEvent"] | components["schemas"]["PurseClosedEvent"] | components["schemas"]["PurseRefundedEvent"] | components["schemas"]["PurseReversedEvent"] | components["schemas"]["BalanceLowThresholdEvent"] | components["schemas"]["EscalationRequiredEvent"] | components["schemas"]["FleetPausedEvent"] | components["schemas"]["FleetResumedEvent"] | components["schemas"]["FleetPolicyChangedEvent"] | components["schemas"]["FleetMemberJoinedEvent"] | components["schemas"]["FleetMemberLeftEvent"] | components["schemas"]["JobFinishedEvent"] | components["schemas"]["FeePayerLowEvent"] | components["schemas"]["WebhookTestEvent"];
        /** @description One page of a list, newest first. */
        EventPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Event"][];
            has_more: boolean;
        };
        /** @description An event type that a webhook may subscribe to. */
        EventType: {
            description: string;
            /** @enum {string} */
            type: "balance.low_threshold" | "escalation.required" | "fee_payer.low" | "fleet.member_joined" | "fleet.member_left" | "fleet.paused" | "fleet.policy_changed" | "fleet.resumed" | "job.finished" | "purse.closed" | "purse.opened" | "purse.refunded" | "purse.reversed" | "session.cap_reached" | "session.cap_warning" | "session.opened" | "session.reversed" | "session.settled" | "transfer.initiated" | "transfer.rejected" | "transfer.reversed" | "transfer.settled";
        };
        /** @description One page of a list, newest first. */
        EventTypePage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["EventType"][];
            has_more: boolean;
        };
        /** @description Everything that proves a payment. What does not exist is null. */
        Evidence: {
            challenge: components["schemas"]["DemandEvidence"] | null;
            /** @description The header that was sent to pay. */
            credential: {
                header: string;
                value: string;
            } | null;
            decision: components["schemas"]["Decision"] | null;
            payment_id: string;
            receipts: components["schemas"]["EvidenceReceipt"][];
            request: components["schemas"]["RequestEvidence"] | null;
            response: components["schemas"]["AnswerEvidence"] | null;
            transaction: {
                signature: string;
                slot: number | null;
            } | null;
        };
        /** @description Something that the provider says about its offer or about the payment. */
        EvidenceReceipt: {
            /** @enum {string} */
            kind: "offer" | "payment_receipt" | "payment_response" | "receipt";
            /** @description As it came. */
            raw: string;
            /** @description Why it is not verified. */
            reason: string | null;
            /** @description The id of the key that signed it; null where it is not signed. */
            signer: string | null;
            /** @description Whether its signature is of that key, and what it says is true of this payment. */
            verified: boolean;
        };
        Faucet: {
            account_id: string;
            /** @description USDC to mint, as a decimal string. */
            amount: string;
        };
        /** @description The account’s transactions have cost what they may in 24 hours. `Retry-After` says when to try again. */
        FeeBudgetExceededError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "fee_budget_exceeded";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description The service’s fee payer holds too little: only pauses, approvals, denials, rotations and endings are sent. */
        FeePayerEmptyError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "fee_payer_empty";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description The fee payer of the service fell below its reserve: only pauses, approvals, denials, rotations and endings are sent. */
        FeePayerLowEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                address: string;
                lamports: string;
                reserve_lamports: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fee_payer.low";
        };
        Fees: {
            lamports: number;
            transactions: number;
        };
        /** @description A fleet, as the API shows it. Amounts are those of 24 hours, in USDC. */
        Fleet: {
            /**
             * @description The rest of the limits for all members together; null without a limit.
             * @example 12.500000
             */
            available_usdc: string | null;
            chain_address: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            fleet_id: string;
            /** @description The key that pauses it and adds accounts without its operator; null for none. */
            guardian: string | null;
            limits: components["schemas"]["LimitsFields"];
            members: number;
            metadata: {
                [key: string]: unknown;
            };
            name: string;
            policy: components["schemas"]["PolicyFields"];
            /** @example 12.500000 */
            reserved_usdc: string;
            /** @example 12.500000 */
            spent_usdc: string;
            /** @enum {string} */
            status: "active" | "closed" | "paused";
        };
        /** @description An account joined a fleet. */
        FleetMemberJoinedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                fleet_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fleet.member_joined";
        };
        /** @description An account left a fleet. */
        FleetMemberLeftEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                fleet_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fleet.member_left";
        };
        /** @description One page of a list, newest first. */
        FleetPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Fleet"][];
            has_more: boolean;
        };
        /** @description A fleet is paused: its members pay nothing. */
        FleetPausedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                fleet_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fleet.paused";
        };
        /** @description The policy of a fleet, as the API shows it. */
        FleetPolicy: {
            allowed_counterparties: string[] | null;
            /** @description Absent where it is not set. */
            approval_above_daily_sum?: number;
            categories: string[] | null;
            escalation_threshold: number | null;
            fleet_id: string;
            max_daily_spend: number | null;
            max_lifetime_spend?: number;
            max_monthly_spend?: number;
            /** @description Absent where it is not set, as the next three. */
            max_session_cap?: number;
            max_single_transfer: number | null;
            paused: boolean;
            require_memo: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            valid_until?: string;
            version: number;
        };
        /** @description The policy or the limits of a fleet changed: names of limits begin with “limits.”. */
        FleetPolicyChangedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                /** @description The names of the fields; those of limits begin with `limits.`. */
                changes: string[];
                fleet_id: string;
                version: number;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fleet.policy_changed";
        };
        /** @description The answer to a dry run of a change of a fleet's policy. */
        FleetPolicyDryRun: {
            /** @description One sentence for each field that changes. */
            changes: string[];
            dry_run: boolean;
            /** @description The policy as it would be. Its version and time are the present ones. */
            policy: components["schemas"]["FleetPolicy"];
        };
        /** @description A fleet is resumed. */
        FleetResumedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                fleet_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fleet.resumed";
        };
        FleetSpending: {
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of: string;
            fleet_id: string;
            /** @description Since the fleet was created. */
            lifetime: components["schemas"]["Period"];
            /** @example 12.500000 */
            limit_usdc: string | null;
            limits_version: number;
            /** @description In any 30 days, by days of the chain's clock. */
            monthly: components["schemas"]["Period"];
            /** @description The fleet's policy, which binds each member by itself. */
            policy: components["schemas"]["PolicyFields"];
            releases: {
                /** @example 12.500000 */
                amount_usdc: string;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                at: string;
            }[];
            /** @example 12.500000 */
            remaining_usdc: string | null;
            /** @example 12.500000 */
            reserved_usdc: string | null;
            /** @example 12.500000 */
            spent_usdc: string | null;
        };
        /** @description A valid key that may not do this. */
        ForbiddenError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "forbidden";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description The hosts that an account may pay. */
        Hosts: {
            account_id: string;
            hosts: string[] | null;
            /**
             * Format: date-time
             * @description When the list was set; null if it never was.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string | null;
        };
        /** @description The answer to a dry run of a change of the hosts. */
        HostsDryRun: {
            account_id: string;
            /** @description One sentence for what changes. */
            changes: string[];
            dry_run: boolean;
            hosts: string[] | null;
            /**
             * Format: date-time
             * @description When the list was set; null if it never was.
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string | null;
        };
        /** @description The idempotency key was used with other parameters. */
        IdempotencyConflictError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "idempotency_conflict";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            purse_id?: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            transfer_id?: string;
        };
        /** @description The account holds less. The same key may be used again. */
        InsufficientBalanceError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "insufficient_balance";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            policy?: components["schemas"]["Violation"];
            purse_id?: string;
            /** @description A rule of the policy, `insufficient_balance`, `denied`, `approval_expired`, or a payment's own reason such as `max_amount`. */
            rejection_reason: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @enum {string} */
            status: "rejected";
            transfer_id?: string;
        };
        /** @description A bug of the service. */
        InternalError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "internal_error";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description The recipient cannot receive USDC. The idempotency key stays free. */
        InvalidRecipientError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "invalid_recipient";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            purse_id?: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @enum {string} */
            status?: "failed";
            transfer_id?: string;
        };
        /** @description The request is not valid. `details` names every invalid field. */
        InvalidRequestError: {
            /** @description Every invalid field. Empty where the body could not be read. */
            details: {
                field: string;
                message: string;
            }[];
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "invalid_request";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description A bulk job, as the API shows it. */
        Job: {
            /** @enum {string} */
            action: "add_labels" | "end_purses" | "pause" | "remove_labels" | "resume" | "set_fleet" | "set_policy";
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description Accounts that are as asked, changed or not. */
            done: number;
            /** @description Accounts that were given up. */
            failed: number;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            finished_at: string | null;
            job_id: string;
            /** @description How far it is, or what it waits for. */
            message: string;
            /** @description The requests to sign, where the operator holds its chain key. */
            signature_requests?: string[];
            /** @enum {string} */
            status: "cancelled" | "cancelling" | "finished" | "running";
            total: number;
        };
        /** @description An account of a job. */
        JobAccount: {
            account_id: string;
            /** @description An error code, of a failed one alone. */
            error: string | null;
            /** @enum {string} */
            status: "done" | "failed" | "waiting";
        };
        /** @description One page of a list, newest first. */
        JobAccountPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["JobAccount"][];
            has_more: boolean;
        };
        /** @description A bulk job with its failures. */
        JobDetails: {
            /** @enum {string} */
            action: "add_labels" | "end_purses" | "pause" | "remove_labels" | "resume" | "set_fleet" | "set_policy";
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description Accounts that are as asked, changed or not. */
            done: number;
            /** @description Accounts that were given up. */
            failed: number;
            /** @description The first 1,000, in the order of the call. */
            failures: components["schemas"]["JobFailure"][];
            /** @description Whether there are more. */
            failures_truncated: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            finished_at: string | null;
            job_id: string;
            /** @description How far it is, or what it waits for. */
            message: string;
            /** @description The requests to sign, where the operator holds its chain key. */
            signature_requests?: string[];
            /** @enum {string} */
            status: "cancelled" | "cancelling" | "finished" | "running";
            total: number;
        };
        /** @description An account that was given up. */
        JobFailure: {
            account_id: string;
            /** @description An error code, such as `not_found`. */
            error: string;
            message: string;
        };
        /** @description A bulk job ended: every account had its turn, or it was cancelled. */
        JobFinishedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                action: string;
                done: number;
                failed: number;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                finished_at: string;
                job_id: string;
                /** @enum {string} */
                status: "cancelled" | "finished";
                total: number;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "job.finished";
        };
        /** @description One page of a list, newest first. */
        JobPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Job"][];
            has_more: boolean;
        };
        /** @description The limits with their version. */
        Limits: {
            fleet_id: string;
            max_daily_spend: number | null;
            max_lifetime_spend: number | null;
            max_monthly_spend: number | null;
            version: number;
        };
        /** @description The answer to a dry run of a change of limits. */
        LimitsDryRun: {
            /** @description One sentence for each limit that changes. */
            changes: string[];
            dry_run: boolean;
            /** @description The limits as they would be. The version is the present one. */
            limits: components["schemas"]["Limits"];
        };
        /** @description The limits of all members together, in USDC; null where there is none. */
        LimitsFields: {
            max_daily_spend: number | null;
            max_lifetime_spend: number | null;
            max_monthly_spend: number | null;
        };
        /** @description The key of a request, and what it may use. */
        Me: {
            /** @description The open accounts of an agent key; null for an operator key, which has all accounts. */
            accounts: {
                account_id: string;
                chain_address: string;
                handle: string;
                name: string;
                usdc_token_account: string;
            }[] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            /** @description The fleets of an agent key, whose members it may use; null for an operator key. */
            fleets: {
                fleet_id: string;
                members: number;
                name: string;
            }[] | null;
            key_id: string;
            name: string | null;
            operator_id: string;
            /** @enum {string} */
            type: "agent" | "operator";
        };
        /** @description The fleet of a member, in its account's policy. */
        Membership: {
            fleet_id: string;
            limits: components["schemas"]["LimitsFields"];
            policy: components["schemas"]["PolicyFields"];
        };
        /** @description A key with its secret, which is shown only when it is created. */
        NewApiKey: {
            account_ids: string[] | null;
            allowed_hosts: string[] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            /** @description The fleets whose members it may use; null for an operator key. */
            fleet_ids: string[] | null;
            key: string;
            key_id: string;
            name: string | null;
            prefix: string;
            /** @enum {string} */
            type: "agent" | "operator";
        };
        /** @description A webhook with its secret, which is shown only when it is created. */
        NewWebhook: {
            /** @description Empty, with `fleet_ids` empty too, means all. */
            account_ids: string[];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description Deliveries that arrived. */
            delivered: number;
            /** @description Empty means all. */
            events: ("balance.low_threshold" | "escalation.required" | "fee_payer.low" | "fleet.member_joined" | "fleet.member_left" | "fleet.paused" | "fleet.policy_changed" | "fleet.resumed" | "job.finished" | "purse.closed" | "purse.opened" | "purse.refunded" | "purse.reversed" | "session.cap_reached" | "session.cap_warning" | "session.opened" | "session.reversed" | "session.settled" | "transfer.initiated" | "transfer.rejected" | "transfer.reversed" | "transfer.settled")[];
            /** @description Attempts that failed. */
            failed: number;
            /** @description The first failure since the last success; null unless it is failing. */
            failing_since: string | null;
            fleet_ids: string[];
            /**
             * @description `unused`: there were none. `failing`: the newest failed.
             * @enum {string}
             */
            health: "failing" | "healthy" | "unused";
            low_balance_threshold_usdc: number | null;
            secret: string;
            /** @enum {string} */
            status: "active" | "deleted" | "paused";
            url: string;
            webhook_id: string;
        };
        /** @description There is no such object, or it belongs to another operator. */
        NotFoundError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "not_found";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        OpenSession: {
            /** @description USDC, as a decimal string. */
            cap: string;
            expires_in_seconds?: number;
        };
        /** @description An operator with its current chain key. */
        Operator: {
            chain_key: string;
            operator_id: string;
        };
        /** @description The request that a payment pays for. */
        PaidRequest: {
            /** @description Null where the agent calls the provider itself. */
            method: string | null;
            /** @description Without the query. */
            url: string;
        };
        /** @description A paused fleet, with what is still to be ended. */
        PausedFleet: {
            /**
             * @description The rest of the limits for all members together; null without a limit.
             * @example 12.500000
             */
            available_usdc: string | null;
            chain_address: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            fleet_id: string;
            /** @description The key that pauses it and adds accounts without its operator; null for none. */
            guardian: string | null;
            /** @description The job that ends them; null without any. */
            job_id: string | null;
            limits: components["schemas"]["LimitsFields"];
            members: number;
            metadata: {
                [key: string]: unknown;
            };
            name: string;
            /** @description How many purses of the members are open, of either kind. */
            open_purses: number;
            policy: components["schemas"]["PolicyFields"];
            /** @example 12.500000 */
            reserved_usdc: string;
            /** @example 12.500000 */
            spent_usdc: string;
            /** @enum {string} */
            status: "active" | "closed" | "paused";
        };
        /** @description The body is larger than 256 KiB, or 1 MiB of `POST /v1/accounts/bulk`. */
        PayloadTooLargeError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "payload_too_large";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description A payment, as the API shows it. What is not known, or no longer kept, is null. */
        Payment: {
            account_id: string;
            /**
             * @description Null for a metered payment whose channel is not over.
             * @example 12.500000
             */
            amount_usdc: string | null;
            category: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            message?: string;
            metadata: {
                [key: string]: unknown;
            };
            /** @enum {string|null} */
            method: "channel" | "charge" | "purse" | "transfer" | "voucher" | null;
            payment_id: string;
            /**
             * @description The protocol of the provider's 402; null until the payment is authorized.
             * @enum {string|null}
             */
            protocol: "mpp" | "x402" | null;
            provider: string;
            purse_id: string | null;
            /** @description MPP: the provider's receipt, decoded. x402: its PAYMENT-RESPONSE header as it came. Neither is signed. */
            receipt: {
                [key: string]: unknown;
            } | string | null;
            reference: string | null;
            rejection_reason?: string;
            /** @description What is paid for; null for payments from before it was kept. */
            request: components["schemas"]["PaidRequest"] | null;
            response: components["schemas"]["Response"] | null;
            session_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            settled_at: string | null;
            /** @enum {string} */
            status: "failed" | "free" | "paid" | "paid_unreceipted" | "rejected" | "unknown";
            tx_signature?: string;
        };
        /** @description The answer to a dry run of a payment. */
        PaymentDryRun: {
            /** @description Whether the request would be executed, or wait for an approval. */
            allowed: boolean;
            /** @example 12.500000 */
            amount_usdc: string;
            decline?: {
                http_status: number;
            } & {
                [key: string]: unknown;
            };
            dry_run: boolean;
            /** @description Says that the provider asks for nothing, with its status. */
            message?: string;
            /** @description The HTTP status of a provider that asks for nothing. Absent where it asks for a payment, or is not called. */
            provider_status?: number;
            quotes: components["schemas"]["Quote"][];
            /** @description The request repeats an earlier one: the real call would answer `Idempotent-Replayed`. */
            replay?: boolean;
            requires_approval: boolean;
        };
        /** @description One page of a list, newest first. */
        PaymentPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Payment"][];
            has_more: boolean;
        };
        /** @description The rest of a limit; its amounts are null without the limit. */
        Period: {
            /** @example 12.500000 */
            limit_usdc: string | null;
            /** @example 12.500000 */
            remaining_usdc: string | null;
            /** @example 12.500000 */
            spent_usdc: string | null;
        };
        /** @description The policy of an account, and the fleet that binds it too. */
        Policy: {
            account_id: string;
            allowed_counterparties: string[] | null;
            /** @description Absent where it is not set. */
            approval_above_daily_sum?: number;
            categories: string[] | null;
            escalation_threshold: number | null;
            /** @description Absent outside of a fleet. */
            fleet?: components["schemas"]["Membership"];
            max_daily_spend: number | null;
            max_lifetime_spend?: number;
            max_monthly_spend?: number;
            /** @description Absent where it is not set, as the next three. */
            max_session_cap?: number;
            max_single_transfer: number | null;
            paused: boolean;
            require_memo: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            valid_until?: string;
            version: number;
        };
        /** @description The answer to a dry run of a policy change. */
        PolicyDryRun: {
            /** @description One sentence for each field that changes. */
            changes: string[];
            dry_run: boolean;
            /** @description The policy as it would be. Its version and time are the present ones. */
            policy: components["schemas"]["Policy"];
        };
        /** @description The policy in an account, as the API shows it. Limits in USDC; null means no limit. */
        PolicyFields: {
            allowed_counterparties: string[] | null;
            /** @description Absent where it is not set. */
            approval_above_daily_sum?: number;
            categories: string[] | null;
            escalation_threshold: number | null;
            max_daily_spend: number | null;
            max_lifetime_spend?: number;
            max_monthly_spend?: number;
            /** @description Absent where it is not set, as the next three. */
            max_session_cap?: number;
            max_single_transfer: number | null;
            paused: boolean;
            require_memo: boolean;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            valid_until?: string;
        };
        /** @description A rule of the policy declines it, an operator denied it, or a payment’s own condition does. */
        PolicyViolationError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "policy_violation";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            policy?: components["schemas"]["Violation"];
            purse_id?: string;
            /** @description A rule of the policy, `insufficient_balance`, `denied`, `approval_expired`, or a payment's own reason such as `max_amount`. */
            rejection_reason: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @enum {string} */
            status: "rejected";
            transfer_id?: string;
        };
        /** @description `If-Match` names another version than the policy has. */
        PreconditionFailedError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "precondition_failed";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            /** @description The present version of the policy. */
            version: number;
        };
        /** @description A pinned provider, as the API shows it. */
        Provider: {
            categories: string[] | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            host: string;
            /** @description How much of an answer's body is read, in bytes. */
            max_bytes: number;
            /** @description How long an answer is read, in seconds. */
            max_seconds: number;
            /** @description The key by which the provider may sign vouchers itself. */
            operator_key: string | null;
            payee: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            updated_at: string;
            /** @description Whether its facilitator takes transfers of this service's program; null where the operator does not say. */
            wallet_programs: boolean | null;
        };
        /** @description One page of a list, newest first. */
        ProviderPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Provider"][];
            has_more: boolean;
        };
        ProviderRequest: {
            /** @description Text, which is sent as it is; or another JSON value, which is sent as JSON with that content type. Bytes go into body_base64. */
            body?: unknown;
            body_base64?: string;
            headers?: {
                [key: string]: string;
            };
            /** @enum {string} */
            method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD";
            /** @description Whether the answer of an API that serves the request is passed on as it comes, in place of a payment. Not compared in a replay. */
            stream?: boolean;
            /** @description Of the paid API. */
            url: string;
        };
        /** @description The provider did not answer, and nothing was paid. */
        ProviderUnreachableError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "provider_unreachable";
            /** @description A sentence for people. */
            message: string;
            payment_id?: string;
            purse_id?: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
            session_id?: string;
            /** @enum {string} */
            status?: "failed";
            transfer_id?: string;
        };
        /** @description A purse, as the API shows it. Amounts in USDC; what is not known yet is null. */
        Purse: {
            account_id: string;
            /** @example 12.500000 */
            amount_usdc: string;
            approval?: {
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                /** @enum {string} */
                required_by: "operator";
            };
            category: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            host: string | null;
            /**
             * @description `allowance`: one delegate for many x402 payments. `channel`: a key that holds the amount, to open payment channels of metered sellers with.
             * @enum {string}
             */
            kind: "allowance" | "channel";
            message?: string;
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            opened_at: string | null;
            /** @description The payment that made it for itself. */
            payment_id: string | null;
            purse_id: string;
            reference: string | null;
            rejection_reason?: string;
            /**
             * @description Of the amount, the account's again.
             * @example 12.500000
             */
            returned_usdc: string;
            /**
             * @description Of payments that landed; exact once it is closed.
             * @example 12.500000
             */
            spent_usdc: string;
            /** @enum {string} */
            status: "closed" | "closing" | "failed" | "open" | "opening" | "pending_approval" | "rejected";
            /** @description Of its end where it is closed, else of its opening. */
            tx_signature: string | null;
        };
        /** @description A purse ended. */
        PurseClosedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                purse_id: string;
                reference?: string;
                resettled?: boolean;
                /** @example 12.500000 */
                returned_usdc: string;
                /** @example 12.500000 */
                spent_usdc: string;
                tx_signature: string | null;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "purse.closed";
        };
        /** @description A purse opened, and its amount is approved on chain. */
        PurseOpenedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                category: string | null;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                host: string | null;
                metadata?: {
                    [key: string]: unknown;
                };
                purse_id: string;
                reference?: string;
                resettled?: boolean;
                tx_signature: string | null;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "purse.opened";
        };
        /** @description One page of a list, newest first. */
        PursePage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Purse"][];
            has_more: boolean;
        };
        /** @description Money of a channel purse came home after it was closed: it restores no limit. */
        PurseRefundedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                purse_id: string;
                reference?: string;
                tx_signature: string | null;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "purse.refunded";
        };
        /** @description The opening or the end of a purse is not on the finalized chain. */
        PurseReversedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                purse_id: string;
                reference?: string;
                tx_signature: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "purse.reversed";
        };
        /** @description One purse, as the API shows it. */
        PurseWithChannels: {
            account_id: string;
            /** @example 12.500000 */
            amount_usdc: string;
            approval?: {
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                /** @enum {string} */
                required_by: "operator";
            };
            category: string | null;
            /** @description Of a channel purse: its newest 100 channels, newest first. */
            channels?: components["schemas"]["Channel"][];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            host: string | null;
            /**
             * @description `allowance`: one delegate for many x402 payments. `channel`: a key that holds the amount, to open payment channels of metered sellers with.
             * @enum {string}
             */
            kind: "allowance" | "channel";
            message?: string;
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            opened_at: string | null;
            /** @description The payment that made it for itself. */
            payment_id: string | null;
            purse_id: string;
            reference: string | null;
            rejection_reason?: string;
            /**
             * @description Of the amount, the account's again.
             * @example 12.500000
             */
            returned_usdc: string;
            /**
             * @description Of payments that landed; exact once it is closed.
             * @example 12.500000
             */
            spent_usdc: string;
            /** @enum {string} */
            status: "closed" | "closing" | "failed" | "open" | "opening" | "pending_approval" | "rejected";
            /** @description Of its end where it is closed, else of its opening. */
            tx_signature: string | null;
        };
        PutCatalogues: {
            /** @description Where catalogues are read: the discovery resources of an x402 facilitator, or a JSON list. At most ten. */
            urls: string[];
        };
        PutFleet: {
            /** @description The fleet to join; null to leave the one that it is in. */
            fleet_id: string | null;
        };
        PutHosts: {
            /** @description The hosts that the account may pay, at most 100: `api.example.com` with every port, `api.example.com:8443` with one, `*.example.com` all below `example.com`. An empty list allows none, null all. */
            hosts: string[] | null;
        };
        PutProvider: {
            /** @description The categories that it may be paid for: null or omitted for any, an empty list for none. */
            categories?: string[] | null;
            /** @description How much of the body of an answer is read, in bytes. Default: 1 MiB. */
            max_bytes?: number;
            /** @description How long an answer of the provider is read, in seconds. Default: 30. */
            max_seconds?: number;
            /** @description The key by which the provider may sign vouchers itself (MPP: `methodDetails.operator`, x402: `extra.operator`). It could take the whole deposit of a channel. */
            operator_key?: string | null;
            /** @description The owner of the token account that is paid: null or omitted for any. */
            payee?: string | null;
            /** @description Whether its facilitator takes x402 transfers of this service's program: null or omitted where that is not known. */
            wallet_programs?: boolean | null;
        };
        /** @description One price of a provider's 402. */
        Quote: {
            /**
             * @description Of a metered price the maximum.
             * @example 12.500000
             */
            amount_usdc: string;
            category: string | null;
            /** @description Whether the payment would be made this way. */
            chosen: boolean;
            /** @description Of a purse that does not pay this: the body of its decline, with its HTTP status. */
            decline?: {
                http_status: number;
            } & {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            /** @description Whether the seller charges what it used, at most the amount. */
            metered?: boolean;
            /** @enum {string} */
            method: "channel" | "charge" | "purse" | "transfer" | "voucher";
            network: string;
            /** @description The owner of the token account that is paid. */
            payee: string;
            /** @enum {string} */
            protocol: "mpp" | "x402";
        };
        /** @description Too many requests. `Retry-After` says when to try again. */
        RateLimitedError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "rate_limited";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        Readiness: {
            /** @enum {string} */
            chain: "down" | "up";
            /** @enum {string} */
            database: "down" | "up";
            /**
             * @description `empty`: it holds less than FEE_PAYER_RESERVE, and only pauses, approvals, denials, rotations and endings are sent. `unknown` while the chain is down.
             * @enum {string}
             */
            fee_payer: "empty" | "funded" | "unknown";
            /** @enum {string} */
            status: "ready" | "unavailable";
        };
        Receipt: {
            /** @description The value of the Payment-Receipt header, or of PAYMENT-RESPONSE. */
            receipt: string;
        };
        /** @description A ledger entry, as the API shows it. */
        Record: {
            account_id: string;
            /** @example 12.500000 */
            amount_usdc: string;
            category: string | null;
            chain_explorer_url: string | null;
            counterparty: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @enum {string} */
            direction: "in" | "out";
            id: string;
            memo: string | null;
            metadata: {
                [key: string]: unknown;
            };
            payment_id: string | null;
            /** @description The provider's origin, where a provider was paid. */
            provider: string | null;
            /** @description The channel purse, where a payment channel out of it was settled. */
            purse_id: string | null;
            reference: string | null;
            rejection_reason: string | null;
            session_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            settled_at: string | null;
            /** @enum {string} */
            status: "rejected" | "settled";
            /** @description The transfer that moved the money, or was declined, where it is one of this operator. */
            transfer_id: string | null;
            tx_signature: string | null;
            /** @enum {string} */
            type: "deposit" | "rejection" | "session_settlement" | "transfer";
        };
        /** @description One page of a list, newest first. */
        RecordPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Record"][];
            has_more: boolean;
        };
        ReplayWebhook: {
            /**
             * Format: date-time
             * @description Only events later than this moment. Omitted: all that were not delivered.
             */
            since?: string | null;
        };
        /** @description A request as evidence. What the agent sent itself is null. */
        RequestEvidence: {
            /** @description SHA-256 of the body in hexadecimal; of no bytes where there is none. */
            body_sha256: string | null;
            headers: {
                [key: string]: string;
            } | null;
            method: string | null;
            /** @description Without the query, which may carry secrets. */
            url: string | null;
        };
        /** @description A provider's answer. */
        Response: {
            /** @description The body as text, where its type is a text or JSON and it is valid UTF-8; else null. */
            body: string | null;
            body_base64: string;
            headers: {
                [key: string]: string;
            };
            status: number;
            /** @description The body is longer than what is kept. */
            truncated?: boolean;
        };
        /** @description The deliveries of a webhook that were made due. */
        Retried: {
            count: number;
            webhook_id: string;
        };
        /** @description A service that an account could pay now. */
        Service: {
            /**
             * @description The price of one call, or its maximum if it is metered.
             * @example 12.500000
             */
            amount_usdc: string;
            category: string | null;
            description: string | null;
            /** @description Whether a call costs what it uses. */
            metered: boolean;
            /**
             * @description How a payment would be made.
             * @enum {string}
             */
            method: "channel" | "charge" | "purse" | "transfer" | "voucher";
            /** @enum {string} */
            protocol: "mpp" | "x402";
            /** @description The origin of the provider. */
            provider: string;
            url: string;
        };
        /** @description One page of a list, newest first. */
        ServicePage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Service"][];
            has_more: boolean;
        };
        /** @description A session, as the API shows it. Amounts in USDC; what is not known yet is null. */
        Session: {
            account_id: string;
            approval?: {
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                /** @enum {string} */
                required_by: "operator";
            };
            /** @example 12.500000 */
            cap_usdc: string;
            category: string | null;
            /** @description Where it sits on chain. */
            channel_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            closed_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string | null;
            grace_seconds: number;
            message?: string;
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            opened_at: string | null;
            payee: string;
            provider: string;
            reference: string | null;
            rejection_reason?: string;
            /**
             * @description Of the cap, the account's again.
             * @example 12.500000
             */
            returned_usdc: string;
            /**
             * @description The cumulative amount that the provider accepted.
             * @example 12.500000
             */
            running_total_usdc: string;
            session_id: string;
            /**
             * @description Paid to the payee on chain.
             * @example 12.500000
             */
            settled_usdc: string;
            /** @enum {string} */
            status: "closing" | "failed" | "open" | "opening" | "pending_approval" | "rejected" | "settled";
            /** @description Of its end where it is over, else of its opening. */
            tx_signature: string | null;
        };
        /** @description The cap of a session is used up. */
        SessionCapReachedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                cap_usdc: string;
                /** @example 12.500000 */
                running_total_usdc: string;
                session_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.cap_reached";
        };
        /** @description The payments of a session exceed 80 percent of its cap. */
        SessionCapWarningEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                cap_usdc: string;
                /** @example 12.500000 */
                running_total_usdc: string;
                session_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.cap_warning";
        };
        /** @description A session opened, and its cap is in escrow on chain. */
        SessionOpenedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                cap_usdc: string;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                metadata?: {
                    [key: string]: unknown;
                };
                payee: string;
                provider: string;
                reference?: string;
                resettled?: boolean;
                session_id: string;
                tx_signature: string | null;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.opened";
        };
        /** @description One page of a list, newest first. */
        SessionPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Session"][];
            has_more: boolean;
        };
        /** @description The opening or the end of a session is not on the finalized chain. */
        SessionReversedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                cap_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                reference?: string;
                session_id: string;
                tx_signature: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.reversed";
        };
        /** @description A session closed and settled on chain. */
        SessionSettledEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                cap_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                reference?: string;
                resettled?: boolean;
                /** @example 12.500000 */
                returned_usdc: string;
                session_id: string;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                settled_at: string;
                /** @example 12.500000 */
                settled_usdc: string;
                tx_signature: string | null;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "session.settled";
        };
        SetChainKey: {
            /** @description The public key, in base58. */
            chain_key: string;
            /** @description The ed25519 signature of the challenge’s bytes by that key, in base58, base64 or hexadecimal. */
            signature: string;
        };
        /** @description A transaction that the holder of the operator's chain key is asked to sign. */
        SignatureRequest: {
            /** @description Null for an action on all accounts. */
            account_id: string | null;
            /** @description The requested action, such as `policy.change`. */
            action: string;
            /** @description The chain key that must sign. */
            chain_key: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            completed_at: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description The id of the API key that asked for the action. */
            created_by: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
            signature_request_id: string;
            /** @enum {string} */
            status: "completed" | "expired" | "pending";
            summary: string[];
            transaction: string;
        };
        /** @description One page of a list, newest first. */
        SignatureRequestPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["SignatureRequest"][];
            has_more: boolean;
        };
        /** @description The answer to what needs the signature of a chain key that is held outside of the service. Nothing was changed yet. */
        SignatureRequired: {
            /**
             * Format: date-time
             * @description From then on the transaction is too old to be sent: renew it.
             * @example 2026-03-01T12:00:00.000Z
             */
            expires_at: string;
            message: string;
            signature_request_id: string;
            /** @enum {string} */
            status: "signature_required";
            /** @description The transaction's effects, one sentence each. */
            summary: string[];
            /** @description The serialized transaction in base64, without signatures. The service adds its own when it gets the operator's. */
            transaction: string;
        };
        SignedTransaction: {
            /** @description The serialized transaction with the operator's signature, in base64. */
            transaction: string;
        };
        Spending: {
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            as_of: string;
            /** @example 12.500000 */
            balance_usdc: string;
            /** @description The rest of the fleet's limits for all its members, and the fleet's policy. Absent outside of a fleet. */
            fleet?: components["schemas"]["FleetSpending"];
            /**
             * @description The amount that its open sessions hold. Not part of the balance.
             * @example 12.500000
             */
            held_usdc: string;
            /** @description Since the account was created. */
            lifetime: components["schemas"]["Period"];
            /** @example 12.500000 */
            limit_usdc: string | null;
            /** @description In any 30 days, by days of the chain's clock. */
            monthly: components["schemas"]["Period"];
            /** @description The rules that an order is checked against. */
            policy: components["schemas"]["PolicyFields"];
            policy_version: number;
            releases: {
                /** @example 12.500000 */
                amount_usdc: string;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                at: string;
            }[];
            /** @example 12.500000 */
            remaining_usdc: string | null;
            /** @example 12.500000 */
            reserved_usdc: string | null;
            /** @example 12.500000 */
            spent_usdc: string | null;
        };
        /** @description The movements of an account's money in a month. `closing_balance_usdc` is `opening_balance_usdc + in_usdc − out_usdc`, exactly. */
        Statement: {
            account_id: string;
            /**
             * @description The balance of the token account and the held amounts together, at `to`.
             * @example 12.500000
             */
            closing_balance_usdc: string;
            /** @description Whether the statement does not change any more. */
            complete: boolean;
            /** @description The chain's fees for the transactions of the account's orders, paid by the service. No part of the balances. */
            fees: components["schemas"]["Fees"];
            from: string;
            /**
             * @description The part of the closing balance that open sessions hold now; null for a month that has ended.
             * @example 12.500000
             */
            held_usdc: string | null;
            /** @example 12.500000 */
            in_usdc: string;
            month: string;
            /**
             * @description The balance of the token account and the held amounts together, when the month began.
             * @example 12.500000
             */
            opening_balance_usdc: string;
            /** @example 12.500000 */
            out_usdc: string;
            /** @description Records that moved money, oldest first. Declines are left out. */
            records: components["schemas"]["Record"][];
            /** @description The end of the month, or now in the running one. */
            to: string;
        };
        /** @description The database cannot be reached, or has its largest size. Nothing is lost. */
        StorageUnavailableError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            error: "storage_unavailable";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description The result of sweeping a closed account. */
        Sweep: {
            account_id: string;
            destination: string;
            /**
             * @description In USDC, with six decimals.
             * @example 12.500000
             */
            swept_usdc: string;
            tx_signature: string;
        };
        SweepAccount: {
            /** @description A USDC token account, or an account_id or handle of the operator. */
            destination: string;
        };
        TopUpSession: {
            /** @description USDC to add to the cap, as a decimal string. */
            amount: string;
            /** @description The same key with the same parameters tops up once. */
            idempotency_key?: string;
        };
        /** @description A transfer, as the API shows it. What does not apply is absent. */
        Transfer: {
            /** @example 12.500000 */
            amount_usdc: string;
            approval?: {
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                expires_at: string;
                /** @enum {string} */
                required_by: "operator";
            };
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            approved_at?: string;
            /** @description The id of the API key that approved it. */
            approved_by?: string;
            category?: string;
            chain_explorer_url?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description The id of the API key that placed it. */
            created_by?: string;
            denial_reason?: string;
            failure_reason?: string;
            from: string;
            /** @description Empty for a transfer that was found on chain after a restore of the database, until its request is repeated. */
            idempotency_key: string;
            memo?: string;
            message?: string;
            metadata?: {
                [key: string]: unknown;
            };
            policy?: {
                /** @description The list of the policy, if a list declined. */
                allowed?: string[];
                /** @example 12.500000 */
                attempted_usdc?: string;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                available_at?: string;
                /**
                 * @description Who enforces a rule that the chain does not.
                 * @enum {string}
                 */
                enforced_by?: "service";
                /** @description The fleet of the account, if its rule declined. */
                fleet_id?: string;
                /** @example 12.500000 */
                limit_usdc?: string;
                /** @example 12.500000 */
                remaining_usdc?: string;
                /** @example 12.500000 */
                reserved_usdc?: string;
                rule: string;
                /**
                 * @description Whose rule it is: of the account's own policy, of its fleet's policy, or the limits of the fleet. Absent for a rule of the service.
                 * @enum {string}
                 */
                scope?: "account" | "fleet" | "fleet_limits";
                version?: number;
            };
            reference?: string;
            rejection_reason?: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            settled_at?: string;
            /** @enum {string} */
            status: "failed" | "pending_approval" | "rejected" | "settled" | "submitted";
            to: string;
            transfer_id: string;
            tx_signature?: string;
        };
        /** @description A transfer passed the policy check and is submitted to the chain. */
        TransferInitiatedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                reference?: string;
                to: string;
                transfer_id: string;
                tx_signature: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "transfer.initiated";
        };
        /** @description One page of a list, newest first. */
        TransferPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Transfer"][];
            has_more: boolean;
        };
        /** @description A rule declined a transfer, an operator denied it, or its approval expired. */
        TransferRejectedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                reference?: string;
                rejection_reason: string;
                transfer_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "transfer.rejected";
        };
        /** @description A transfer, or a single payment to a provider, that had settled is not on the finalized chain. */
        TransferReversedEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                reference?: string;
                transfer_id: string;
                tx_signature: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "transfer.reversed";
        };
        /** @description A transfer, or a single payment to a provider, settled on chain. */
        TransferSettledEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                account_id: string;
                /** @example 12.500000 */
                amount_usdc: string;
                metadata?: {
                    [key: string]: unknown;
                };
                payment_id?: string;
                purse_id?: string;
                reference?: string;
                resettled?: boolean;
                /**
                 * Format: date-time
                 * @example 2026-03-01T12:00:00.000Z
                 */
                settled_at: string;
                transfer_id: string;
                tx_signature: string | null;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "transfer.settled";
        };
        /** @description The key is missing, malformed, unknown, revoked or expired. */
        UnauthorizedError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "unauthorized";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        /** @description The body is not JSON. */
        UnsupportedMediaTypeError: {
            /** @description The description of the error, or of the reason of a decline. */
            doc_url: string;
            /** @enum {string} */
            error: "unsupported_media_type";
            /** @description A sentence for people. */
            message: string;
            /** @description The `X-Request-Id` of the response. */
            request_id: string;
        };
        UpdateFleetPolicy: {
            /** @description Addresses, or account ids of the same operator, that may be paid. */
            allowed_counterparties?: string[] | null;
            /** @description An operator must approve what would raise the sum of 24 hours, with what is reserved, above this many USDC. */
            approval_above_daily_sum?: number | null;
            /** @description Categories that may be paid. */
            categories?: string[] | null;
            /** @description The amount in USDC from which an operator must approve. */
            escalation_threshold?: number | null;
            /** @description Most USDC in any 24 hours. */
            max_daily_spend?: number | null;
            /** @description Most USDC ever. */
            max_lifetime_spend?: number | null;
            /** @description Most USDC in any 30 days, by days of the chain's clock: released between 30 and 31 days after it left. */
            max_monthly_spend?: number | null;
            /** @description Most USDC of one session's cap, or of one purse. Without it a session may hold as much as the daily limit. */
            max_session_cap?: number | null;
            /** @description Most USDC in one transfer or charge. */
            max_single_transfer?: number | null;
            /** @description Whether all outgoing transfers are blocked. */
            paused?: boolean | null;
            /** @description Whether a transfer needs a memo. Payments, charges and purses have no memo of the caller's, and need none. */
            require_memo?: boolean | null;
            /**
             * Format: date-time
             * @description Nothing new is spent at this time of the chain's clock or later, in whole seconds. Settling and closing go on.
             */
            valid_until?: string | null;
        };
        UpdateLimits: {
            /** @description Most USDC of all members together in any 24 hours. */
            max_daily_spend?: number | null;
            /** @description Most USDC of all members together since the fleet was created. */
            max_lifetime_spend?: number | null;
            /** @description Most USDC of all members together in any 30 days. */
            max_monthly_spend?: number | null;
        };
        UpdatePolicy: {
            /** @description Addresses, or account ids of the same operator, that may be paid. */
            allowed_counterparties?: string[] | null;
            /** @description An operator must approve what would raise the sum of 24 hours, with what is reserved, above this many USDC. */
            approval_above_daily_sum?: number | null;
            /** @description Categories that may be paid. */
            categories?: string[] | null;
            /** @description The amount in USDC from which an operator must approve. */
            escalation_threshold?: number | null;
            /** @description Most USDC in any 24 hours. */
            max_daily_spend?: number | null;
            /** @description Most USDC ever. */
            max_lifetime_spend?: number | null;
            /** @description Most USDC in any 30 days, by days of the chain's clock: released between 30 and 31 days after it left. */
            max_monthly_spend?: number | null;
            /** @description Most USDC of one session's cap, or of one purse. Without it a session may hold as much as the daily limit. */
            max_session_cap?: number | null;
            /** @description Most USDC in one transfer or charge. */
            max_single_transfer?: number | null;
            /** @description Whether all outgoing transfers are blocked. */
            paused?: boolean | null;
            /** @description Whether a transfer needs a memo. Payments, charges and purses have no memo of the caller's, and need none. */
            require_memo?: boolean | null;
            /**
             * Format: date-time
             * @description Nothing new is spent at this time of the chain's clock or later, in whole seconds. Settling and closing go on.
             */
            valid_until?: string | null;
        };
        /** @description The usage of one group. */
        Usage: {
            /** @description An account id, an origin, a category, a day of UTC such as 2030-01-31, a reason, or a label; null for the records that have none. */
            group: string | null;
            rejected_count: number;
            settled_count: number;
            /**
             * @description Money that left the accounts: transfers, payments and session settlements.
             * @example 12.500000
             */
            settled_usdc: string;
        };
        /** @description The usage of all groups together. Amounts in USDC. */
        UsageTotal: {
            rejected_count: number;
            settled_count: number;
            /**
             * @description Money that left the accounts: transfers, payments and session settlements.
             * @example 12.500000
             */
            settled_usdc: string;
        };
        /** @description The rule that declined, with its numbers in USDC. Members that make no sense for the rule are absent. */
        Violation: {
            /** @description The list of the policy, if a list declined. */
            allowed?: string[];
            /**
             * @description The amount that was asked for.
             * @example 12.500000
             */
            attempted_usdc?: string;
            /**
             * Format: date-time
             * @description When the same request would fit. Absent where it can never fit, or waits for a session to close.
             * @example 2026-03-01T12:00:00.000Z
             */
            available_at?: string;
            /**
             * @description Who enforces a rule that the chain does not.
             * @enum {string}
             */
            enforced_by?: "service";
            /** @description The fleet of the account, if its rule declined. */
            fleet_id?: string;
            /** @example 12.500000 */
            limit_usdc?: string;
            /**
             * @description The amount that could be spent now.
             * @example 12.500000
             */
            remaining_usdc?: string;
            /**
             * @description Caps of open sessions, purses and charges, which count until they are settled.
             * @example 12.500000
             */
            reserved_usdc?: string;
            rule: string;
            /**
             * @description Whose rule it is: of the account's own policy, of its fleet's policy, or the limits of the fleet. Absent for a rule of the service.
             * @enum {string}
             */
            scope?: "account" | "fleet" | "fleet_limits";
            /** @description The version of the policy that declined. */
            version?: number;
        };
        /** @description A webhook, as the API shows it. Its health is that of the last 24 hours. */
        Webhook: {
            /** @description Empty, with `fleet_ids` empty too, means all. */
            account_ids: string[];
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            /** @description Deliveries that arrived. */
            delivered: number;
            /** @description Empty means all. */
            events: ("balance.low_threshold" | "escalation.required" | "fee_payer.low" | "fleet.member_joined" | "fleet.member_left" | "fleet.paused" | "fleet.policy_changed" | "fleet.resumed" | "job.finished" | "purse.closed" | "purse.opened" | "purse.refunded" | "purse.reversed" | "session.cap_reached" | "session.cap_warning" | "session.opened" | "session.reversed" | "session.settled" | "transfer.initiated" | "transfer.rejected" | "transfer.reversed" | "transfer.settled")[];
            /** @description Attempts that failed. */
            failed: number;
            /** @description The first failure since the last success; null unless it is failing. */
            failing_since: string | null;
            fleet_ids: string[];
            /**
             * @description `unused`: there were none. `failing`: the newest failed.
             * @enum {string}
             */
            health: "failing" | "healthy" | "unused";
            low_balance_threshold_usdc: number | null;
            /** @enum {string} */
            status: "active" | "deleted" | "paused";
            url: string;
            webhook_id: string;
        };
        /** @description One page of a list, newest first. */
        WebhookPage: {
            /** @description Where the next page begins; null on the last one. */
            cursor: string | null;
            data: components["schemas"]["Webhook"][];
            has_more: boolean;
        };
        /** @description `POST /v1/webhooks/:id/test` was called. */
        WebhookTestEvent: {
            /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
            account_id: string | null;
            /**
             * Format: date-time
             * @example 2026-03-01T12:00:00.000Z
             */
            created_at: string;
            data: {
                webhook_id: string;
            };
            /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
            fleet_id?: string;
            id: string;
            /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
            sequence: number | null;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "webhook.test";
        };
    };
    responses: {
        /**
         * @description `chain_unavailable`: The chain cannot be reached, or is too far behind. Nothing is lost.
         *
         *     `fee_payer_empty`: The service’s fee payer holds too little: only pauses, approvals, denials, rotations and endings are sent.
         *
         *     `storage_unavailable`: The database cannot be reached, or has its largest size. Nothing is lost.
         */
        ChainUnavailableOrFeePayerEmptyOrStorageUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChainUnavailableError"] | components["schemas"]["FeePayerEmptyError"] | components["schemas"]["StorageUnavailableError"];
            };
        };
        /**
         * @description `chain_unavailable`: The chain cannot be reached, or is too far behind. Nothing is lost.
         *
         *     `storage_unavailable`: The database cannot be reached, or has its largest size. Nothing is lost.
         */
        ChainUnavailableOrStorageUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ChainUnavailableError"] | components["schemas"]["StorageUnavailableError"];
            };
        };
        /** @description `conflict`: The state of the object, which `status` names, does not allow this. */
        Conflict: {
            headers: {
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConflictError"];
            };
        };
        /** @description `forbidden`: A valid key that may not do this. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ForbiddenError"];
            };
        };
        /** @description The headers of the request are too large. */
        HeadersTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description `idempotency_conflict`: The idempotency key was used with other parameters. */
        IdempotencyConflict: {
            headers: {
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictError"];
            };
        };
        /**
         * @description `idempotency_conflict`: The idempotency key was used with other parameters.
         *
         *     `conflict`: The state of the object, which `status` names, does not allow this.
         */
        IdempotencyConflictOrConflict: {
            headers: {
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["IdempotencyConflictError"] | components["schemas"]["ConflictError"];
            };
        };
        /** @description `internal_error`: A bug of the service. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InternalError"];
            };
        };
        /** @description `invalid_recipient`: The recipient cannot receive USDC. The idempotency key stays free. */
        InvalidRecipient: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRecipientError"];
            };
        };
        /** @description `invalid_request`: The request is not valid. `details` names every invalid field. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["InvalidRequestError"];
            };
        };
        /** @description `not_found`: There is no such object, or it belongs to another operator. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NotFoundError"];
            };
        };
        /** @description `payload_too_large`: The body is larger than 256 KiB, or 1 MiB of `POST /v1/accounts/bulk`. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PayloadTooLargeError"];
            };
        };
        /**
         * @description `policy_violation`: A rule of the policy declines it, an operator denied it, or a payment’s own condition does.
         *
         *     `account_paused`: The account is paused.
         *
         *     `insufficient_balance`: The account holds less. The same key may be used again.
         */
        PolicyViolationOrAccountPausedOrInsufficientBalance: {
            headers: {
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PolicyViolationError"] | components["schemas"]["AccountPausedError"] | components["schemas"]["InsufficientBalanceError"];
            };
        };
        /** @description `precondition_failed`: `If-Match` names another version than the policy has. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PreconditionFailedError"];
            };
        };
        /** @description `provider_unreachable`: The provider did not answer, and nothing was paid. */
        ProviderUnreachable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ProviderUnreachableError"];
            };
        };
        /** @description `rate_limited`: Too many requests. `Retry-After` says when to try again. */
        RateLimited: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedError"];
            };
        };
        /**
         * @description `rate_limited`: Too many requests. `Retry-After` says when to try again.
         *
         *     `fee_budget_exceeded`: The account’s transactions have cost what they may in 24 hours. `Retry-After` says when to try again.
         */
        RateLimitedOrFeeBudgetExceeded: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RateLimitedError"] | components["schemas"]["FeeBudgetExceededError"];
            };
        };
        /** @description `storage_unavailable`: The database cannot be reached, or has its largest size. Nothing is lost. */
        StorageUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["StorageUnavailableError"];
            };
        };
        /** @description `unauthorized`: The key is missing, malformed, unknown, revoked or expired. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnauthorizedError"];
            };
        };
        /** @description `unsupported_media_type`: The body is not JSON. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnsupportedMediaTypeError"];
            };
        };
    };
    parameters: {
        /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
        requestId: string;
    };
    requestBodies: never;
    headers: {
        /** @description The version of the policy, for `If-Match`. */
        ETag: string;
        /** @description Present where the response is that of an earlier request with the same key. */
        "Idempotent-Replayed": "true";
        /** @description The payment, where the answer of the provider is passed on as it comes. */
        "Payment-Id": string;
        /** @description The status of the payment when the answer of the provider began: `unknown` where the provider settles afterwards. */
        "Payment-Status": "free" | "paid" | "paid_unreceipted" | "unknown";
        /** @description What is left of the limit: `"key";r=29999;t=60` is 29,999 requests of this key in the next 60 seconds. */
        RateLimit: string;
        /** @description The limit: `"key";q=30000;w=60` is 30,000 requests of a key in 60 seconds. */
        "RateLimit-Policy": string;
        /** @description When to try again: seconds, or a date. */
        "Retry-After": string;
        /** @description The scheme of the key. */
        "WWW-Authenticate": "Bearer";
        /** @description Identifies the request in the logs of the service. */
        "X-Request-Id": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "health.health": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @enum {string} */
                        status: "up";
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
        };
    };
    "health.ready": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            /** @description Not ready. */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    "accounts.list": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only accounts that are in this fleet. */
                fleet_id?: string;
                /** @description Only accounts that have this label. Given several times: all of them. */
                label?: string[];
                /** @description The most entries of the page. */
                limit?: number;
                /** @description Only accounts whose names begin with this, whatever the case. */
                name?: string;
                status?: "active" | "paused";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "accounts.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateAccount"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "accounts.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.change": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeAccount"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "accounts.balance": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.close": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CloseAccount"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Account"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.setFleet": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutFleet"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Account"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.showHosts": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hosts"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "accounts.setHosts": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutHosts"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hosts"] | components["schemas"]["HostsDryRun"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "accounts.policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.setPolicy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The `ETag` of the policy that the change is based on. Another version answers 412. */
                "If-Match"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdatePolicy"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Policy"] | components["schemas"]["PolicyDryRun"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Policy"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "accounts.deletePolicy": {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the policy that the change is based on. Another version answers 412. */
                "If-Match"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"];
                };
            };
            /** @description Success, without a body. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.rotateAuthority": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Account"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Account"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.spending": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Spending"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.statement": {
        parameters: {
            query?: {
                /** @description A month of UTC, such as `2026-11`; default the running one. */
                month?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statement"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.sweep": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SweepAccount"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Sweep"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Sweep"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "accounts.transactions": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
                /** @description Only records later than this moment. */
                since?: string;
                status?: "settled" | "rejected" | "all" | "declined";
                type?: "transfer" | "session_settlement" | "rejection" | "deposit";
                /** @description Only records up to this moment. */
                until?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description An `account_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "accounts.bulk": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Bulk"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDryRun"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "api_keys.list": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "api_keys.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "api_keys.revoke": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `key_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "audit_log.list": {
        parameters: {
            query?: {
                action?: "account.created" | "account.changed" | "account.hosts_changed" | "account.closed" | "account.swept" | "account.fleet_changed" | "authority_key.rotated" | "policy.changed" | "policy.ended" | "fleet.created" | "fleet.changed" | "fleet.policy_changed" | "fleet.limits_changed" | "fleet.closed" | "operator.created" | "operator_key.rotated" | "operator_key.handed_over" | "api_key.created" | "api_key.revoked" | "dashboard.signed_in" | "dashboard.signed_out" | "webhook.created" | "webhook.changed" | "webhook.deleted" | "webhook.secret_rotated" | "provider.pinned" | "provider.unpinned" | "catalogues.changed" | "transfer.approved" | "transfer.denied" | "session.approved" | "session.denied" | "top_up.approved" | "top_up.denied" | "purse.approved" | "purse.denied" | "accounts.bulk" | "job.cancelled";
                /** @description The id of the API key that made the change. */
                actor?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
                /** @description The id of what was changed; the host of a provider. */
                object?: string;
                /** @description Only entries later than this moment. */
                since?: string;
                /** @description Only entries not later than this moment. */
                until?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "deliveries.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `delivery_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "deliveries.replay": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `delivery_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description The latest 20, oldest first. */
                        attempts: components["schemas"]["Attempt"][];
                        /**
                         * Format: date-time
                         * @description When the event happened.
                         * @example 2026-03-01T12:00:00.000Z
                         */
                        created_at: string;
                        delivery_id: string;
                        event_id: string;
                        event_type: string;
                        message: string;
                        /**
                         * Format: date-time
                         * @description Null where no further attempt is scheduled.
                         * @example 2026-03-01T12:00:00.000Z
                         */
                        next_attempt_at: string | null;
                        /** @enum {string} */
                        status: "delivered" | "pending" | "undelivered";
                        webhook_id: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "deliveries.send": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `delivery_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "event_types.list": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventTypePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "events.list": {
        parameters: {
            query?: {
                account_id?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only events of this fleet, and of the accounts in it. */
                fleet_id?: string;
                /** @description The most entries of the page. */
                limit?: number;
                /** @description Only events later than this moment. */
                since?: string;
                type?: "transfer.initiated" | "transfer.settled" | "transfer.rejected" | "transfer.reversed" | "session.opened" | "session.cap_warning" | "session.cap_reached" | "session.settled" | "session.reversed" | "purse.opened" | "purse.closed" | "purse.refunded" | "purse.reversed" | "balance.low_threshold" | "escalation.required" | "fleet.paused" | "fleet.resumed" | "fleet.policy_changed" | "fleet.member_joined" | "fleet.member_left" | "job.finished" | "fee_payer.low" | "webhook.test";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "events.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description The id of an event. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "fleets.list": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "fleets.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFleet"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Fleet"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Fleet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "fleets.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "fleets.change": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeFleet"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fleet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "fleets.close": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Fleet"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Fleet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "fleets.limits": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "fleets.setLimits": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The `ETag` of the policy that the change is based on. Another version answers 412. */
                "If-Match"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateLimits"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Limits"] | components["schemas"]["LimitsDryRun"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Limits"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "fleets.pause": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["PausedFleet"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["PausedFleet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "fleets.policy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetPolicy"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "fleets.setPolicy": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The `ETag` of the policy that the change is based on. Another version answers 412. */
                "If-Match"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateFleetPolicy"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["FleetPolicy"] | components["schemas"]["FleetPolicyDryRun"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["FleetPolicy"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "fleets.resume": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Fleet"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Fleet"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "fleets.spending": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `fleet_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetSpending"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "jobs.list": {
        parameters: {
            query?: {
                action?: "pause" | "resume" | "set_policy" | "add_labels" | "remove_labels" | "set_fleet" | "end_purses";
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
                status?: "running" | "cancelling" | "cancelled" | "finished";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "jobs.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `job_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobDetails"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "jobs.accounts": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `job_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobAccountPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "jobs.cancel": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `job_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "me.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "operators.showCatalogues": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalogues"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "operators.setCatalogues": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutCatalogues"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalogues"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "operators.setChainKey": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetChainKey"];
            };
        };
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["ChainKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "operators.challenge": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainKeyChallenge"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "operators.me": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChainKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "operators.rotateKey": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Operator"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "payments.list": {
        parameters: {
            query?: {
                account_id?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only those of accounts that are in this fleet now. */
                fleet_id?: string;
                /** @description Only those of accounts that have this label. Given several times: all of them. */
                label?: string[];
                /** @description The most entries of the page. */
                limit?: number;
                /** @description The provider's origin, as payments show it, or its host. */
                provider?: string;
                purse_id?: string;
                session_id?: string;
                /** @description Only payments created later than this moment. */
                since?: string;
                status?: "free" | "paid" | "paid_unreceipted" | "rejected" | "unknown" | "failed" | "declined";
                /** @description Only payments created up to this moment. */
                until?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "payments.pay": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePayment"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Payment-Id": components["headers"]["Payment-Id"];
                    "Payment-Status": components["headers"]["Payment-Status"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"] | components["schemas"]["PaymentDryRun"];
                    "text/event-stream": string;
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    "Payment-Id": components["headers"]["Payment-Id"];
                    "Payment-Status": components["headers"]["Payment-Status"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            502: components["responses"]["ProviderUnreachable"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "payments.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `payment_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "payments.showEvidence": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `payment_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Evidence"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "payments.receipt": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `payment_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Receipt"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "payments.authorize": {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AuthorizePayment"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Authorization"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "providers.list": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "providers.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A host, such as `api.example.com`, with its port where it is not 443. */
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "providers.put": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A host, such as `api.example.com`, with its port where it is not 443. */
                host: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PutProvider"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "providers.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A host, such as `api.example.com`, with its port where it is not 443. */
                host: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "purses.list": {
        parameters: {
            query?: {
                account_id?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only those of accounts that are in this fleet now. */
                fleet_id?: string;
                /** @description The most entries of the page. */
                limit?: number;
                status?: "opening" | "pending_approval" | "open" | "closing" | "closed" | "rejected" | "failed" | "declined";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PursePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "purses.open": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePurse"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purse"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "purses.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `purse_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurseWithChannels"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "purses.approve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `purse_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Purse"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Purse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "purses.channels": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `purse_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "purses.close": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `purse_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purse"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "purses.deny": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `purse_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DenyPurse"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Purse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "purses.ofPurse": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `purse_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "sandbox.clock": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvanceClock"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * Format: date-time
                         * @example 2026-03-01T12:00:00.000Z
                         */
                        now: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "sandbox.faucet": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Faucet"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example 12.500000 */
                        balance_usdc: string;
                        tx_signature: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "services.list": {
        parameters: {
            query?: {
                /** @description The account that would pay. Needed unless the key has one account. */
                account_id?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
                /** @description The most that one call may cost, in USDC. */
                max_amount?: string;
                /** @description Words that the URL or the description has, in any order. */
                query?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "sessions.list": {
        parameters: {
            query?: {
                account_id?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only those of accounts that are in this fleet now. */
                fleet_id?: string;
                /** @description The most entries of the page. */
                limit?: number;
                status?: "opening" | "pending_approval" | "open" | "closing" | "settled" | "rejected" | "failed" | "declined";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "sessions.open": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateSession"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "sessions.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `session_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "sessions.approve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `session_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Session"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "sessions.close": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `session_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "sessions.deny": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `session_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DenySession"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "sessions.ofSession": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `session_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "sessions.topUp": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `session_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TopUpSession"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRun"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "signature_requests.list": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
                /** @description Only requests in this state. */
                status?: "pending" | "expired" | "completed";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequestPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "signature_requests.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `signature_request_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequest"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "signature_requests.submit": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `signature_request_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignedTransaction"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "signature_requests.renew": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `signature_request_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "transactions.list": {
        parameters: {
            query?: {
                account_id?: string;
                category?: string;
                /** @description An account id or an address, as records show it. */
                counterparty?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only those of accounts that are in this fleet now. */
                fleet_id?: string;
                /** @description Only those of accounts that have this label. Given several times: all of them. */
                label?: string[];
                /** @description The most entries of the page. */
                limit?: number;
                reference?: string;
                /** @description Only records later than this moment. */
                since?: string;
                status?: "settled" | "rejected" | "all" | "declined";
                type?: "transfer" | "session_settlement" | "rejection" | "deposit";
                /** @description Only records up to this moment. */
                until?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "transfers.list": {
        parameters: {
            query?: {
                account_id?: string;
                category?: string;
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description Only those of accounts that are in this fleet now. */
                fleet_id?: string;
                idempotency_key?: string;
                /** @description Only those of accounts that have this label. Given several times: all of them. */
                label?: string[];
                /** @description The most entries of the page. */
                limit?: number;
                /** @description Only transfers of at least this amount in USDC. */
                min_amount?: string;
                reference?: string;
                rejection_reason?: string;
                /** @description Only transfers created later than this moment. */
                since?: string;
                status?: "pending_approval" | "submitted" | "settled" | "rejected" | "failed" | "declined";
                /** @description The recipient: an account id or handle of the same operator, or a token account. Finds its transfers whichever of them they named. */
                to?: string;
                /** @description Only transfers created up to this moment. */
                until?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransferPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "transfers.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Checks everything and changes nothing: the response says what the request would do. */
                "Dry-Run"?: "true";
                /** @description The same key with the same parameters executes once. It is kept for 24 hours. Where the body has `idempotency_key`, the header stands for it. */
                "Idempotency-Key"?: string;
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTransfer"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"] | components["schemas"]["DryRun"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "transfers.show": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `transfer_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "transfers.approve": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `transfer_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Transfer"];
                };
            };
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignatureRequired"] | components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            402: components["responses"]["PolicyViolationOrAccountPausedOrInsufficientBalance"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["IdempotencyConflictOrConflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["InvalidRecipient"];
            429: components["responses"]["RateLimitedOrFeeBudgetExceeded"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrFeePayerEmptyOrStorageUnavailable"];
        };
    };
    "transfers.deny": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `transfer_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DenyTransfer"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["ChainUnavailableOrStorageUnavailable"];
        };
    };
    "usage.show": {
        parameters: {
            query: {
                account_id?: string;
                /** @description Only those of accounts that are in this fleet now. */
                fleet_id?: string;
                group_by: "account" | "provider" | "category" | "day" | "rejection_reason" | "label" | "fleet";
                /** @description Only those of accounts that have this label. Given several times: all of them. */
                label?: string[];
                /** @description Only records later than this moment. */
                since?: string;
                /** @description Only records up to this moment. */
                until?: string;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Usage"][];
                        has_more: boolean;
                        total: components["schemas"]["UsageTotal"];
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.list": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.create": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.get": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.remove": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success, without a body. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.change": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ChangeWebhook"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.listDeliveries": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page. Omitted: the first page, which has the newest entries. */
                cursor?: string;
                /** @description The most entries of the page. */
                limit?: number;
                status?: "pending" | "delivered" | "undelivered";
            };
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.replay": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReplayWebhook"];
            };
        };
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        message: string;
                        replayed: number;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.retry": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Retried"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.rotateSecret": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewWebhook"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhooks.test": {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the request in logs. Omitted or unfit: the service makes one. */
                "X-Request-Id"?: components["parameters"]["requestId"];
            };
            path: {
                /** @description A `webhook_id`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: the outcome is not known yet, or an operator must approve it. `message` says what to do next. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Null for an event of the operator, such as `job.finished`, or of a fleet, and for `webhook.test`. */
                        account_id: string | null;
                        /**
                         * Format: date-time
                         * @example 2026-03-01T12:00:00.000Z
                         */
                        created_at: string;
                        data: {
                            [key: string]: unknown;
                        };
                        /** @description The fleet that it belongs to, or that its account was in. Absent outside of a fleet. */
                        fleet_id?: string;
                        id: string;
                        message: string;
                        /** @description The number of the event among its account's, from 1 without gaps. Receivers detect missing and reordered events by it. */
                        sequence: number | null;
                        type: string;
                    };
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            431: components["responses"]["HeadersTooLarge"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["StorageUnavailable"];
        };
    };
    "webhook.balance.low_threshold": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BalanceLowThresholdEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.escalation.required": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EscalationRequiredEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.fee_payer.low": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeePayerLowEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.fleet.member_joined": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetMemberJoinedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.fleet.member_left": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetMemberLeftEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.fleet.paused": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetPausedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.fleet.policy_changed": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetPolicyChangedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.fleet.resumed": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetResumedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.job.finished": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobFinishedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.purse.closed": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurseClosedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.purse.opened": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurseOpenedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.purse.refunded": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurseRefundedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.purse.reversed": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurseReversedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.session.cap_reached": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionCapReachedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.session.cap_warning": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionCapWarningEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.session.opened": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionOpenedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.session.reversed": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionReversedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.session.settled": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionSettledEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.transfer.initiated": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferInitiatedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.transfer.rejected": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferRejectedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.transfer.reversed": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferReversedEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.transfer.settled": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransferSettledEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "webhook.webhook.test": {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, as Standard Webhooks has it. */
                "webhook-id": string;
                /** @description Signatures under the present and, for 24 hours, the previous secret, as Standard Webhooks has them. */
                "webhook-signature": string;
                /** @description Seconds since 1970, as Standard Webhooks has it. */
                "webhook-timestamp": string;
                /** @description The number of the attempt, from 1. */
                "X-Service-Attempt": string;
                /** @description The id of the delivery. */
                "X-Service-Delivery-Id": string;
                /** @description The id of the event. */
                "X-Service-Event-Id": string;
                /** @description The lowercase hex HMAC-SHA256 of the body’s bytes under the webhook’s secret. */
                "X-Service-Signature": string;
                /** @description The same under the previous secret, for 24 hours after a rotation. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookTestEvent"];
            };
        };
        responses: {
            /** @description The delivery succeeded. Anything else, or nothing within 15 seconds, is a failure. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
