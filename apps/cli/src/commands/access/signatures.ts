import type { Schemas } from '#client';
import { accountNames, type NameOf } from '../../output/account-names';
import { defaultKeypairPath, readKeypair } from '../../custody/keypair';
import { renewed, signAll, type ToSign } from '../../custody/signing';
import { bothSay, verified } from '../../custody/verifying';
import { given, listLimit } from '../../options';
import { card, type Columns, timeOf } from '../../output/output';
import type { Register } from '../../context';

type SignatureRequest = Schemas['SignatureRequest'];
type ListOptions = { status?: SignatureRequest['status']; limit?: number };

const columnsOf = (nameOf: NameOf): Columns<SignatureRequest> => ({
  account: ({ account_id }) => nameOf(account_id) ?? 'all',
  action: ({ action }) => action,
  status: ({ status }) => status,
  created: ({ created_at }) => timeOf(created_at),
  summary: ({ summary }) => shortened(summary.join(' ')),
  request: ({ signature_request_id }) => signature_request_id,
});

/** The most characters of a summary in a list. */
const MAX_SUMMARY = 160;

/** `signatures list | show | sign | renew` */
export const signatures: Register = (program, context) => {
  const group = program.command('signatures').description('what waits for the signature of a chain key that you hold');
  group
    .command('list')
    .description('list signature requests, newest first')
    .option('--status <status>', 'pending, expired or completed')
    .option('--limit <number>', 'how many', listLimit)
    .action(async ({ limit, ...query }: ListOptions) => {
      const client = context.client();
      const ids = (rows: SignatureRequest[]) => rows.map(({ account_id }) => account_id);
      await context.list(client.signatureRequests.list(given(query)), limit, async (rows) =>
        columnsOf(await accountNames(client, ids(rows))),
      );
    });
  group
    .command('show')
    .description('what a request does: as the service says, and as its transaction says')
    .argument('<request>', 'its id, sig_…')
    .action(async (id: string) => {
      const request = await context.client().signatureRequests.retrieve(id);
      const { sentences } = verified(context, request, { chainKey: context.keypair()?.address ?? request.chain_key });
      context.print({ ...request, sentences }, [card(fieldsOf(request)), ...bothSay(request.summary, sentences)].join('\n'));
    });
  group
    .command('sign')
    .description('show what a request does, ask, sign it, and print what the action returns; renews it where it has expired')
    .argument('<request>', 'its id, sig_…')
    .option('--yes', 'do not ask')
    .action(async (id: string, { yes }: { yes?: boolean }) => {
      const keypair = context.keypair() ?? readKeypair(defaultKeypairPath());
      const client = context.client();
      const request = await client.signatureRequests.retrieve(id);
      if (request.status === 'completed') {
        context.note('It is signed and done already.');
        return context.show(request, { ...fieldsOf(request), summary: request.summary.join(' ') });
      }
      const toSign: ToSign = request.status === 'expired' ? await renewed(context, client, id) : request;
      const answer = await signAll<Record<string, unknown>>(context, client, toSign, keypair, { asks: yes !== true });
      context.print(answer, card({ signature_request_id: id, ...plainFieldsOf(answer) }));
    });
  group
    .command('renew')
    .description('make the transaction of a request again, to be signed elsewhere')
    .argument('<request>', 'its id, sig_…')
    .action(async (id: string) => {
      const request = await context.client().signatureRequests.renew(id);
      const { expires_at, transaction, summary } = request;
      context.show(request, { signature_request_id: id, summary: summary.join(' '), expires_at, transaction });
    });
};

function shortened(text: string): string {
  return text.length > MAX_SUMMARY ? `${text.slice(0, MAX_SUMMARY - 1)}…` : text;
}

function fieldsOf({ summary: _summary, transaction: _transaction, ...fields }: SignatureRequest) {
  return fields;
}

/** The members of an object that have one value, and lists of texts. */
function plainFieldsOf(body: Record<string, unknown>): Parameters<typeof card>[0] {
  const fields: Parameters<typeof card>[0] = {};
  for (const [name, value] of Object.entries(body)) {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') fields[name] = value;
    else if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) fields[name] = value.join(', ') || 'none';
  }
  return fields;
}
