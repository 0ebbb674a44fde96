/** A wallet of the browser that follows the Wallet Standard. The test signs for it. */
import type { Page } from 'playwright-core';
import type { ChainKeyHolder } from './chain-keys';

/** Registers itself as the standard's wallets do: at once, and when a page says that it is ready. */
const WALLET = `
  (({ name, address }) => {
    const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const account = { address, publicKey: new Uint8Array(32), chains: ['solana:mainnet'], features: ['solana:signTransaction'] };
    const signTransaction = async ({ transaction, account: { address: signer } }) => {
      if (signer !== address) throw new Error('unknown account');
      return [{ signedTransaction: bytes(await window.signInWallet(btoa(String.fromCharCode(...transaction)))) }];
    };
    const wallet = {
      version: '1.0.0', name, icon: 'data:image/svg+xml;base64,', chains: ['solana:mainnet'], accounts: [],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
        'solana:signTransaction': { version: '1.0.0', supportedTransactionVersions: ['legacy', 0], signTransaction },
      },
    };
    const register = ({ register }) => register(wallet);
    window.addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
    window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  })`;

/** Gives the page, before it loads, a wallet with the holder's key. `address`: another account than that key. */
export async function giveWallet(
  page: Page,
  holder: ChainKeyHolder,
  { name = 'Test Wallet', address = holder.address } = {},
): Promise<void> {
  await page.exposeFunction('signInWallet', (transaction: string) => holder.signTransaction({ transaction }));
  await page.addInitScript({ content: `${WALLET}(${JSON.stringify({ name, address })});` });
}
