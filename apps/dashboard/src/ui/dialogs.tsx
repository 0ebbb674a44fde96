/** Modal dialogs. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { post } from '../data/api';
import { changed } from '../data/live';
import { Brief } from './brief';
import { Form } from './forms';
import { Code, Copy } from './values';

type Children = { children: ComponentChildren };

/** A dialog asks for a decision: its values are exact, also if a table opened it. */
const EXACT = { is: false, inLink: false };

/** The fields of a form. */
const FIELDS = 'input, select, textarea';

/** A modal dialog. It begins at its first field, or else at its button. Escape and Cancel close it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }: { title: string; onClose: () => void } & Children): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // A link or a button in the text would lead away at the next Enter.
    if (!document.activeElement?.matches(FIELDS)) dialog.current?.querySelector<HTMLElement>(`${FIELDS}, button[type="submit"]`)?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog">
        <h2 id={id}>{title}</h2>
        <Brief.Provider value={EXACT}>{children}</Brief.Provider>
      </div>
    </dialog>
  );
}

/** A dialog that asks whether to close something, such as a session, and closes it. `path` is the thing in the API. */
export function CloseDialog({
  what,
  path,
  onClose,
  children,
}: { what: string; path: string; onClose: () => void } & Children): JSX.Element {
  const close = async (): Promise<void> => {
    await post(`${path}/close`);
    changed();
    onClose();
  };
  return (
    <Dialog title={`Close this ${what}?`} onClose={onClose}>
      <Form send={close} submit={`Close ${what}`} danger onCancel={onClose}>
        <p>{children}</p>
      </Form>
    </Dialog>
  );
}

/** A secret that is shown only once. */
export function ShownOnce({
  title,
  secret,
  what,
  hint,
  onClose,
}: {
  title: string;
  secret: string;
  what: string;
  hint: string;
  onClose: () => void;
}): JSX.Element {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{hint}</p>
      <p class="secret">
        <Code text={secret} whole />
        <Copy text={secret} what={what} />
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={onClose}>
          I have kept it
        </button>
      </div>
    </Dialog>
  );
}
