import { Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { canSign, signWith, type SigningWallet } from './wallets';
import { base64Of, bytesOf } from './reading/transactions';

const keypair = Keypair.generate();
const chainKey = keypair.publicKey.toBase58();
const message = new TransactionMessage({ payerKey: keypair.publicKey, recentBlockhash: chainKey, instructions: [] }).compileToV0Message();
const transaction = base64Of(new VersionedTransaction(message).serialize());
const account = { address: chainKey, publicKey: keypair.publicKey.toBytes(), chains: [], features: [] };

interface Parts {
  accounts?: (typeof account)[];
  connected?: (typeof account)[];
  versions?: readonly ('legacy' | 0)[];
  fails?: boolean;
}

/** A wallet, and how often it was connected. */
function aWallet({ accounts = [], connected = [account], versions = ['legacy', 0], fails = false }: Parts = {}) {
  const calls = { connect: 0 };
  const connect = async () => {
    calls.connect++;
    return { accounts: connected };
  };
  const signTransaction = async ({ transaction: bytes }: { transaction: Uint8Array }) => {
    if (fails) throw new Error('User rejected the request.');
    const signed = VersionedTransaction.deserialize(bytes);
    signed.sign([keypair]);
    return [{ signedTransaction: signed.serialize() }];
  };
  const features = {
    'standard:connect': { version: '1.0.0', connect },
    'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: versions, signTransaction },
  };
  const wallet = { version: '1.0.0', name: 'Vault', icon: 'data:image/png;base64,', chains: [], features, accounts } as unknown;
  return { wallet: wallet as SigningWallet, calls };
}

test('a wallet connects and signs with the account that is the chain key', async () => {
  const { wallet, calls } = aWallet();
  const signed = VersionedTransaction.deserialize(bytesOf(await signWith(wallet, chainKey, transaction)));
  expect(signed.signatures[0]?.some((byte) => byte !== 0)).toBe(true);
  expect(calls.connect).toBe(1);
});

test('a wallet that is connected with the chain key is not connected again', async () => {
  const { wallet, calls } = aWallet({ accounts: [account] });
  await signWith(wallet, chainKey, transaction);
  expect(calls.connect).toBe(0);
});

test.each<[string, Parts, string]>([
  ['has another account', { connected: [] }, `Vault did not connect the key ${chainKey}, which must sign.`],
  ['knows only legacy transactions', { versions: ['legacy'] }, 'Vault cannot sign transactions of version 0.'],
  ['is refused by its user', { fails: true }, 'Vault did not sign: User rejected the request.'],
])('a wallet that %s is a problem that says so', async (_what, parts, words) => {
  await expect(signWith(aWallet(parts).wallet, chainKey, transaction)).rejects.toThrow(words);
});

test('only a wallet that connects and signs Solana transactions can sign', () => {
  const { wallet } = aWallet();
  expect(canSign(wallet)).toBe(true);
  for (const missing of ['standard:connect', 'solana:signTransaction']) {
    const features = Object.fromEntries(Object.entries(wallet.features).filter(([name]) => name !== missing));
    expect(canSign({ ...wallet, features })).toBe(false);
  }
});
