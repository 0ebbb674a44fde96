/** Signs what needs the signature of the operator's chain key, until the action is done. */
import { addSignature, type AgentPayments, ConflictError, type Schemas, SignatureRequired } from '#client';
import type { Context } from '../context';
import { RefusedError } from '../output/exit-codes';
import type { Keypair } from './keypair';
import { both, bothSay, type Expected, isApproval, likeFirst, unsigned, verified } from './verifying';

/** Signatures of one action: a transaction hands over ten accounts, or adds 20 entries to a policy. */
const MAX_SIGNATURES = 1_000;
/** How often in a row a request may expire between its renewal and its signature. */
const MAX_RENEWALS = 3;

/** The transaction to be signed. */
export type ToSign = Pick<Schemas['SignatureRequired'], 'signature_request_id' | 'transaction' | 'summary' | 'expires_at'>;

/**
 * Makes a call. If it needs a signature and a key is given, signs what does the expected and no more, and returns what the call would
 * have. @throws SignatureRequired, RefusedError
 */
export async function signed<T extends object>(
  context: Context,
  client: AgentPayments,
  call: () => Promise<T>,
  expected: Expected,
): Promise<T> {
  const keypair = context.keypair();
  try {
    return await call();
  } catch (error) {
    if (!keypair || !(error instanceof SignatureRequired)) throw error;
    context.note(`Signing with ${keypair.address}:`);
    return signAll<T>(context, client, error.request, keypair, { expected });
  }
}

export interface SigningOptions {
  /** The effect that every transaction must have. A further one must have that of the first, too. */
  expected?: Expected;
  /** Asks before each signature whose transaction does something else than the one before, or would pay again. */
  asks?: boolean;
}

/**
 * Reads and verifies a request's transaction, says what it does, signs and submits it, renews it if it has expired, and goes on while the
 * service asks for a further signature. Returns what the action returns. @throws RefusedError if a transaction is unreadable, unsafe or
 * not the expected; UsageError if the key is not among the signers; SignatureRequired for another request than this one; Exit after a no.
 */
export async function signAll<T extends object>(
  context: Context,
  client: AgentPayments,
  asked: ToSign,
  keypair: Keypair,
  { expected, asks = false }: SigningOptions = {},
): Promise<T> {
  const { signature_request_id: id } = asked;
  let current = asked;
  let renewals = 0;
  let likeFirstOne: Expected | undefined;
  let said = '';
  let accepted = 0;
  for (let given = 0; given < MAX_SIGNATURES; given++) {
    const reading = verified(context, current, { chainKey: keypair.address, expected: both(expected, likeFirstOne), before: given });
    likeFirstOne ??= likeFirst(reading);
    const lines = bothSay(current.summary, reading.sentences);
    const isSaid = said === lines.join('\n');
    said = lines.join('\n');
    if (!isSaid) for (const line of lines) context.note(line);
    const isSecondPayment = given > 0 && isApproval(reading);
    if (isSecondPayment) context.note('You have signed this approval before. If the service keeps both, both can pay.');
    if (isSecondPayment && !asks)
      throw new RefusedError(`An approval is signed once without a question. ${unsigned(given)}`, 'unsafe_transaction');
    if (asks && (!isSaid || isSecondPayment))
      await context.agree(`Sign it with ${keypair.address}?`, { signed: false, signature_request_id: id }, unsigned(given));
    const transaction = addSignature(current.transaction, keypair.address, keypair.sign(reading.message));
    try {
      return await client.signatureRequests.submit<T>(id, { transaction });
    } catch (error) {
      if (error instanceof SignatureRequired && error.request.signature_request_id === id) {
        current = error.request;
        renewals = 0;
        context.note(`Signature ${++accepted} is accepted. A further one is needed.`);
      } else if (error instanceof ConflictError && error.state === 'expired' && renewals++ < MAX_RENEWALS) {
        current = await renewed(context, client, id);
      } else throw error;
    }
  }
  throw new Error(`It is not done after ${MAX_SIGNATURES} signatures. Go on with \`aps signatures sign ${id}\`.`);
}

/** Makes the transaction of an expired request again. */
export async function renewed(context: Context, client: AgentPayments, id: string): Promise<ToSign> {
  context.note('The request has expired: it is renewed.');
  return client.signatureRequests.renew(id);
}
