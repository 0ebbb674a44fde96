/** Wallets of the browser that follow the Wallet Standard. They sign; what is signed is submitted by the page. */
import type { Wallet, WalletAccount } from '@wallet-standard/base';
import { StandardConnect, type StandardConnectFeature } from '@wallet-standard/features';
import { Problem } from '../data/api';
import { base64Of, bytesOf, versionOf } from './reading/transactions';

const SIGN_TRANSACTION = 'solana:signTransaction';

/** Signs transactions of Solana. As in @solana/wallet-standard-features 1.3. */
interface SignTransactionFeature {
  readonly [SIGN_TRANSACTION]: {
    readonly supportedTransactionVersions: readonly ('legacy' | number)[];
    readonly signTransaction: (
      ...inputs: readonly { account: WalletAccount; transaction: Uint8Array }[]
    ) => Promise<readonly { signedTransaction: Uint8Array }[]>;
  };
}

/** A wallet that can connect and sign transactions of Solana. */
export type SigningWallet = Wallet & { features: SignTransactionFeature & StandardConnectFeature };

export function canSign(wallet: Wallet): wallet is SigningWallet {
  return SIGN_TRANSACTION in wallet.features && StandardConnect in wallet.features;
}

/**
 * Asks a wallet to sign a transaction, in base64, with a key. Returns it signed, in base64.
 * @throws Problem if the wallet has no such key, does not know the transaction's version, or does not sign
 */
export async function signWith(wallet: SigningWallet, chainKey: string, transaction: string): Promise<string> {
  const { name, features } = wallet;
  const bytes = bytesOf(transaction);
  const { signTransaction, supportedTransactionVersions } = features[SIGN_TRANSACTION];
  if (!supportedTransactionVersions.some((version) => version === versionOf(bytes)))
    throw problem(`${name} cannot sign transactions of version ${versionOf(bytes)}. Use another wallet.`);
  try {
    const account = accountOf(wallet.accounts, chainKey) ?? accountOf((await features[StandardConnect].connect()).accounts, chainKey);
    if (!account) throw problem(`${name} did not connect the key ${chainKey}, which must sign. Choose it in the wallet, and try again.`);
    const [output] = await signTransaction({ account, transaction: bytes });
    if (!output) throw problem(`${name} returned nothing.`);
    return base64Of(output.signedTransaction);
  } catch (failure) {
    if (failure instanceof Problem) throw failure;
    throw problem(`${name} did not sign: ${failure instanceof Error ? failure.message : String(failure)}`);
  }
}

function accountOf(accounts: readonly WalletAccount[], address: string): WalletAccount | undefined {
  return accounts.find((account) => account.address === address);
}

function problem(message: string): Problem {
  return new Problem(message, 0, 'wallet');
}
