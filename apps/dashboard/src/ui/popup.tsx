/** Panel that opens below a button. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A place whose popup closes at Escape, and when the focus or a press goes elsewhere. */
export function Popup({ isOpen, onClose, children }: { isOpen: boolean; onClose: () => void; children: ComponentChildren }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onPress = ({ target }: PointerEvent): void => {
      if (target instanceof Node && !place.current?.contains(target)) onClose();
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !isOpen) return;
    event.preventDefault();
    onClose();
    place.current?.querySelector('button')?.focus();
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    if (isOpen && relatedTarget instanceof Node && !place.current?.contains(relatedTarget)) onClose();
  };
  return (
    <div ref={place} role="none" class="popup-place" onKeyDown={onKeyDown} onFocusOut={onFocusOut}>
      {children}
    </div>
  );
}
