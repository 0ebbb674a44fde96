import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { post } from '../data/api';
import type { SignedIn } from '../data/types';
import { Field, Form } from '../ui';

/** Signs in with an operator key. The key is sent once, and stored neither in the page nor in the browser. */
export function SignInView({ onSignedIn }: { onSignedIn: (signedIn: SignedIn) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Sign in · Agent payments';
    input.current?.focus();
  }, []);
  const send = async (): Promise<void> => {
    const key = input.current?.value ?? '';
    if (input.current) input.current.value = '';
    onSignedIn(await post<SignedIn>('/dashboard/session', { key }));
  };
  return (
    <main class="alone">
      <h1>Agent payments</h1>
      <p>Sign in with an operator key. It is exchanged for a session of 12 hours in this browser, and not kept.</p>
      <Form send={send} submit="Sign in">
        <Field label="Operator key" hint="It begins with aps_op_. In the sandbox it stands in .data/sandbox.json.">
          {(props) => <input {...props} ref={input} type="password" required autoComplete="off" spellcheck={false} maxLength={200} />}
        </Field>
      </Form>
    </main>
  );
}
