import type { Schemas } from '#client';
import { accept, untilHeld } from '../../custody/handing-over';
import { signed } from '../../custody/signing';
import { UsageError } from '../../output/exit-codes';
import type { Context, Register } from '../../context';

type ChainKey = Schemas['ChainKey'];

const WARNING = [
  'From then on every policy change (also a pause), approval, rotation and closing needs a signature of this key.',
  'A lost key cannot be replaced, by the service or by anyone: its accounts go on spending inside their policies, and nothing else.',
  'Keep a copy of the keypair file in a safe place.',
];

const UNCHANGED = 'Nothing was changed.';

/** `chain-key show | set | rotate` */
export const chainKey: Register = (program, context) => {
  const group = program.command('chain-key').description('the key that your accounts obey on chain, and who holds it');
  group
    .command('show')
    .description('the operator’s chain key, and who holds it')
    .action(async () => show(context, await context.client().operator.retrieve()));
  group
    .command('set')
    .description('hand all accounts to the key of --keypair, which only you hold: warns and asks first')
    .option('--yes', 'do not ask')
    .action(async ({ yes }: { yes?: boolean }) => {
      const keypair = context.keypair();
      if (!keypair) throw new UsageError('Give --keypair <file>: the key that your accounts are handed to.');
      const { address } = keypair;
      const client = context.client();
      const before = await client.operator.retrieve();
      if (isHeld(before, address)) {
        context.note('Your accounts obey this key already.');
        return show(context, before);
      }
      const isPending = before.pending_chain_key === address;
      if (isPending && before.chain_key_custody === 'external')
        throw new UsageError('The accounts are being handed to this key: sign with the key before. See `aps signatures list`.');
      if (!isPending) {
        for (const line of [`All accounts of ${before.name} are handed to ${address}.`, ...WARNING]) context.note(line);
        if (yes !== true) await context.agree('Hand them over?', { changed: false }, UNCHANGED);
      }
      const after = isPending ? before : await accept(client, keypair);
      show(context, isHeld(after, address) ? after : await untilHeld(client, address, context.signal));
    });
  group
    .command('rotate')
    .description('hand all accounts to a new key that the service makes and holds: asks first')
    .option('--yes', 'do not ask')
    .action(async ({ yes }: { yes?: boolean }) => {
      const client = context.client();
      if (yes !== true) await context.agree('Hand all accounts to a new key that the service holds?', { changed: false }, UNCHANGED);
      await signed(context, client, () => client.operator.rotateKey(), { only: ['set_operator'] });
      show(context, await client.operator.retrieve());
    });
};

function isHeld({ chain_key, chain_key_custody }: ChainKey, address: string): boolean {
  return chain_key === address && chain_key_custody === 'external';
}

function show(context: Context, operator: ChainKey): void {
  const { operator_id, name, chain_key, chain_key_custody, pending_chain_key } = operator;
  const held_by = chain_key_custody === 'external' ? 'you' : 'the service';
  context.show(operator, { operator_id, name, chain_key, held_by, pending_chain_key });
}
