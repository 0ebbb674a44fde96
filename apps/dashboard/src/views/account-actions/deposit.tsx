import type { JSX } from 'preact';
import { encode } from 'uqr';
import { Code, Copy, Dialog, Notice } from '../../ui';
import type { ActionProps } from './action-props';

/** The address that USDC is sent to, as text and as a QR code. */
export function Deposit({ account: { name, chain_address }, onClose }: ActionProps): JSX.Element {
  return (
    <Dialog title={`Deposit to ${name}`} onClose={onClose}>
      <p>Send USDC on Solana to this address. The deposit is listed within seconds after it is confirmed.</p>
      <QrCode text={chain_address} />
      <p class="secret">
        <Code text={chain_address} whole />
        <Copy text={chain_address} what="the address" />
      </p>
      <Notice tone="bad">
        <p>
          Only USDC, and only on this Solana network. Other tokens, and USDC of another chain, do not appear here and cannot be sent back by
          this service.
        </p>
      </Notice>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  );
}

/** A QR code, drawn by the page itself. */
function QrCode({ text }: { text: string }): JSX.Element {
  const { size, data } = encode(text);
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" role="img" aria-label={`QR code of ${text}`} viewBox={`0 0 ${size} ${size}`} width="220" height="220">
      <path d={squares.join('')} fill="#000000" />
    </svg>
  );
}
