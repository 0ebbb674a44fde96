/** The state that the components of the signing dialog follow: the requests, and the wallets of the browser. */
import { getWallets } from '@wallet-standard/app';
import { useEffect, useState } from 'preact/hooks';
import { currentSigning, leaveUnsigned, onSigning, type Signing } from './requests';
import { canSign, type SigningWallet } from './wallets';

/** The request that the operator is asked to sign now. When the component goes, nothing of it is signed. */
export function useSigning(): Signing | undefined {
  const [current, setCurrent] = useState(currentSigning);
  useEffect(() => {
    const stop = onSigning(() => setCurrent(currentSigning()));
    return () => {
      stop();
      leaveUnsigned();
    };
  }, []);
  return current;
}

/** The wallets that can sign, also those that register later. */
export function useWallets(): SigningWallet[] {
  const [wallets, setWallets] = useState<SigningWallet[]>([]);
  useEffect(() => {
    const { get, on } = getWallets();
    const update = (): void => setWallets(get().filter(canSign));
    const stops = [on('register', update), on('unregister', update)];
    update();
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  return wallets;
}
