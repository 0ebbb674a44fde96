import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, get } from '../../data/api';
import { useGet } from '../../data/data';
import { changed } from '../../data/live';
import { formatLimit } from '../../values/money';
import { changeInWords, changedFields } from '../../words/policy-words';
import { signedCall } from '../../signing';
import type { Policy, PolicyFields } from '../../data/types';
import { Facts, Field, Form, Notice, Section, ProblemNotice, isChecked, textOf, usePage } from '../../ui';
import { ListField } from './list-field';
import { defectsOf, type Draft, draftOf, fieldsOf, fromDraft, LIMITS } from './policy-draft';

/** The policy, and a form to change it that describes the effect of the change before it is saved. */
export function PolicyEditor({
  path,
  used,
  lastKnown,
}: {
  /** Of the policy of an account or a fleet. */
  path: string;
  used: string | null;
  lastKnown: PolicyFields;
}): JSX.Element {
  const { data, problem, reload } = useGet<Policy>(path);
  /** The policy that the user is editing. Saving compares its version with the current one. */
  const [edited, setEdited] = useState<Policy>();
  const finish = async (): Promise<void> => {
    await reload();
    setEdited(undefined);
  };
  return (
    <Section
      title="Policy"
      actions={
        !edited && (
          <button type="button" disabled={!data || problem !== undefined} onClick={() => setEdited(data)}>
            Change policy
          </button>
        )
      }
    >
      <ProblemNotice problem={problem} />
      {edited ? (
        <Editor path={path} policy={edited} used={used} onRead={setEdited} onSaved={finish} onCancel={() => setEdited(undefined)} />
      ) : (
        <PolicyFacts policy={data ?? lastKnown} />
      )}
    </Section>
  );
}

function PolicyFacts({ policy }: { policy: PolicyFields }): JSX.Element {
  const { nameOf } = usePage();
  const limit = (value: number | null, none: string): string => (value === null ? none : `${formatLimit(value.toFixed(6))} USDC`);
  const list = (values: string[] | null, any: string, none: string): string =>
    values === null ? any : values.length === 0 ? none : values.map(nameOf).join(', ');
  return (
    <Facts
      facts={[
        ...LIMITS.map(({ name, label, none }): [string, string] => [label, limit(policy[name] ?? null, none)]),
        ['Ends', policy.valid_until ?? 'never'],
        ['Recipients', list(policy.allowed_counterparties, 'anyone', 'none')],
        ['Categories', list(policy.categories, 'any, or none', 'none allowed')],
        ['Memo', policy.require_memo ? 'required' : 'optional'],
      ]}
    />
  );
}

interface EditorProps {
  path: string;
  policy: Policy;
  used: string | null;
  /** Replaces `policy` after another change of it. */
  onRead: (policy: Policy) => void;
  onSaved: () => Promise<void>;
  onCancel: () => void;
}

function Editor({ path, policy, used, onRead, onSaved, onCancel }: EditorProps): JSX.Element {
  const { nameOf } = usePage();
  const old = fieldsOf(policy);
  const [draft, setDraft] = useState(() => draftOf(old));
  const [others, setOthers] = useState<string[]>();
  const set = (change: Partial<Draft>): void => setDraft((before) => ({ ...before, ...change }));
  const defects = defectsOf(draft, path);
  const isValid = Object.keys(defects).length === 0;
  const next = isValid ? fromDraft(draft) : old;
  const sentences = changeInWords(old, next, { nameOf, used });

  const save = async (): Promise<void> => {
    try {
      await signedCall('PUT', path, changedFields(old, next), { 'If-Match': `"${policy.version}"` });
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 412) throw problem;
      return showOthers();
    }
    await onSaved();
    changed();
  };
  /** Keeps the changes of the form, and takes over concurrent changes of the other fields. */
  const showOthers = async (): Promise<void> => {
    const theirs = await get<Policy>(path);
    setOthers(changeInWords(old, fieldsOf(theirs), { nameOf, used }));
    setDraft(draftOf({ ...fieldsOf(theirs), ...changedFields(old, next) }));
    onRead(theirs);
  };

  return (
    <Form send={save} submit="Save policy" onCancel={onCancel} disabled={!isValid || sentences.length === 0}>
      {others && (
        <Notice tone="bad">
          <p>
            <strong>This policy was changed meanwhile, and nothing was saved.</strong> What that change did:
          </p>
          <Sentences sentences={others} />
          <p>Your changes are still in the form, on top of it. Look at what they will do now, and save again.</p>
        </Notice>
      )}
      <div class="fields">
        {LIMITS.map(({ name, label, none, ...rest }) => (
          <Field key={name} label={`${label}, USDC`} hint={`Empty: ${'hint' in rest ? rest.hint : none}.`} problem={defects[name]}>
            {(props) => (
              <input
                {...props}
                value={draft[name]}
                onInput={(event) => set({ [name]: textOf(event).trim() })}
                inputMode="decimal"
                autoComplete="off"
              />
            )}
          </Field>
        ))}
        <Field label="Ends, UTC" hint="Such as 2030-01-31T12:00:00Z. Empty: never." problem={defects.valid_until}>
          {(props) => (
            <input
              {...props}
              value={draft.valid_until}
              onInput={(event) => set({ valid_until: textOf(event).trim() })}
              autoComplete="off"
            />
          )}
        </Field>
      </div>
      <ListField
        legend="Recipients"
        any="Anyone"
        only="Only these"
        isAny={draft.anyone}
        onAny={(anyone) => set({ anyone })}
        label="Account ids or chain addresses, one a line"
        value={draft.counterparties}
        problem={defects.counterparties}
        onInput={(counterparties) => set({ counterparties })}
      />
      <ListField
        legend="Categories"
        any="Any, or none"
        only="Only these"
        isAny={draft.anything}
        onAny={(anything) => set({ anything })}
        label="Categories, one a line"
        value={draft.categories}
        problem={defects.categories}
        onInput={(categories) => set({ categories })}
      />
      <Check label="A transfer needs a memo" isOn={draft.require_memo} onChange={(require_memo) => set({ require_memo })} />
      <Check label="Paused" isOn={draft.paused} onChange={(paused) => set({ paused })} />
      <div class="effect" aria-live="polite">
        <h3>What saving will do</h3>
        {!isValid ? (
          <p class="bad-text">The form is not complete yet.</p>
        ) : sentences.length === 0 ? (
          <p class="muted">Nothing: the policy stays as it is.</p>
        ) : (
          <Sentences sentences={sentences} />
        )}
      </div>
    </Form>
  );
}

function Sentences({ sentences }: { sentences: string[] }): JSX.Element {
  return (
    <ul>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  );
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }): JSX.Element {
  return (
    <label class="inline">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(isChecked(event))} /> {label}
    </label>
  );
}
