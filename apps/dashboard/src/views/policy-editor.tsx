import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Problem, get } from '../api';
import { useGet } from '../data';
import { changed } from '../live';
import { formatLimit } from '../money';
import { changeInWords, changedFields } from '../policy-words';
import { signedCall } from '../signing';
import type { Policy, PolicyFields } from '../types';
import { Facts, Field, Form, Notice, Section, ProblemNotice, isChecked, textOf, usePage } from '../ui';
import { linesOf, ListField } from './list-field';

const LIMIT = /^\d{1,10}(\.\d{1,6})?$/;
const MAX_LIMIT = 1_000_000_000;
const MOMENT = /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.0+)?)?(Z|[+-]\d{2}:\d{2})$/;
const LIMITS = [
  'max_single_transfer',
  'max_daily_spend',
  'max_monthly_spend',
  'max_lifetime_spend',
  'max_session_cap',
  'escalation_threshold',
  'approval_above_daily_sum',
] as const;

/** The content of the form, before it is a policy. */
interface Draft {
  max_single_transfer: string;
  max_daily_spend: string;
  max_monthly_spend: string;
  max_lifetime_spend: string;
  max_session_cap: string;
  escalation_threshold: string;
  approval_above_daily_sum: string;
  valid_until: string;
  anyone: boolean;
  counterparties: string;
  anything: boolean;
  categories: string;
  require_memo: boolean;
  paused: boolean;
}

/** The most counterparties in a policy. */
const MOST_OF_ACCOUNT = 128;
const MOST_OF_FLEET = 1_024;

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
  const limit = (value: number | null, none = 'no limit'): string => (value === null ? none : `${formatLimit(value.toFixed(6))} USDC`);
  const list = (values: string[] | null, any: string, none: string): string =>
    values === null ? any : values.length === 0 ? none : values.map(nameOf).join(', ');
  return (
    <Facts
      facts={[
        ['Per-transfer limit', limit(policy.max_single_transfer)],
        ['24-hour limit', limit(policy.max_daily_spend)],
        ['30-day limit', limit(policy.max_monthly_spend ?? null)],
        ['Lifetime limit', limit(policy.max_lifetime_spend ?? null)],
        ['Limit of a session’s cap', limit(policy.max_session_cap ?? null, 'as the 24-hour limit')],
        ['Approval at or above', limit(policy.escalation_threshold, 'never needed')],
        ['Approval above a daily sum of', limit(policy.approval_above_daily_sum ?? null, 'never needed')],
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
  const defects = defectsOf(draft, path.startsWith('/v1/fleets/') ? MOST_OF_FLEET : MOST_OF_ACCOUNT);
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
        <LimitField
          label="Per-transfer limit"
          hint="Empty: no limit."
          value={draft.max_single_transfer}
          problem={defects.max_single_transfer}
          onInput={(max_single_transfer) => set({ max_single_transfer })}
        />
        <LimitField
          label="24-hour limit"
          hint="Empty: no limit."
          value={draft.max_daily_spend}
          problem={defects.max_daily_spend}
          onInput={(max_daily_spend) => set({ max_daily_spend })}
        />
        <LimitField
          label="30-day limit"
          hint="Empty: no limit."
          value={draft.max_monthly_spend}
          problem={defects.max_monthly_spend}
          onInput={(max_monthly_spend) => set({ max_monthly_spend })}
        />
        <LimitField
          label="Lifetime limit"
          hint="Empty: no limit."
          value={draft.max_lifetime_spend}
          problem={defects.max_lifetime_spend}
          onInput={(max_lifetime_spend) => set({ max_lifetime_spend })}
        />
        <LimitField
          label="Limit of a session’s cap"
          hint="Empty: as much as the 24-hour limit."
          value={draft.max_session_cap}
          problem={defects.max_session_cap}
          onInput={(max_session_cap) => set({ max_session_cap })}
        />
        <LimitField
          label="Approval at or above"
          hint="Empty: never."
          value={draft.escalation_threshold}
          problem={defects.escalation_threshold}
          onInput={(escalation_threshold) => set({ escalation_threshold })}
        />
        <LimitField
          label="Approval above a daily sum of"
          hint="Empty: never."
          value={draft.approval_above_daily_sum}
          problem={defects.approval_above_daily_sum}
          onInput={(approval_above_daily_sum) => set({ approval_above_daily_sum })}
        />
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

function LimitField({
  label,
  hint,
  value,
  problem,
  onInput,
}: {
  label: string;
  hint: string;
  value: string;
  problem: string | undefined;
  onInput: (value: string) => void;
}): JSX.Element {
  return (
    <Field label={`${label}, USDC`} hint={hint} problem={problem}>
      {(props) => (
        <input {...props} value={value} onInput={(event) => onInput(textOf(event).trim())} inputMode="decimal" autoComplete="off" />
      )}
    </Field>
  );
}

function Check({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }): JSX.Element {
  return (
    <label class="inline">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(isChecked(event))} /> {label}
    </label>
  );
}

function fieldsOf({
  account_id: _account,
  fleet_id: _id,
  version: _version,
  updated_at: _updated,
  fleet: _fleet,
  ...fields
}: Policy & { fleet_id?: string }): PolicyFields {
  return fields;
}

function draftOf(policy: PolicyFields): Draft {
  return {
    max_single_transfer: textOfLimit(policy.max_single_transfer),
    max_daily_spend: textOfLimit(policy.max_daily_spend),
    max_monthly_spend: textOfLimit(policy.max_monthly_spend ?? null),
    max_lifetime_spend: textOfLimit(policy.max_lifetime_spend ?? null),
    max_session_cap: textOfLimit(policy.max_session_cap ?? null),
    escalation_threshold: textOfLimit(policy.escalation_threshold),
    approval_above_daily_sum: textOfLimit(policy.approval_above_daily_sum ?? null),
    valid_until: policy.valid_until?.replace('.000Z', 'Z') ?? '',
    anyone: policy.allowed_counterparties === null,
    counterparties: policy.allowed_counterparties?.join('\n') ?? '',
    anything: policy.categories === null,
    categories: policy.categories?.join('\n') ?? '',
    require_memo: policy.require_memo,
    paused: policy.paused,
  };
}

/** A limit as an exact decimal without exponent. Limits have at most six decimals. */
function textOfLimit(limit: number | null): string {
  return limit === null ? '' : limit.toFixed(6).replace(/\.?0+$/, '');
}

function fromDraft(draft: Draft): PolicyFields {
  const limit = (text: string): number | null => (text === '' ? null : Number(text));
  return {
    max_single_transfer: limit(draft.max_single_transfer),
    max_daily_spend: limit(draft.max_daily_spend),
    max_monthly_spend: limit(draft.max_monthly_spend),
    max_lifetime_spend: limit(draft.max_lifetime_spend),
    max_session_cap: limit(draft.max_session_cap),
    escalation_threshold: limit(draft.escalation_threshold),
    approval_above_daily_sum: limit(draft.approval_above_daily_sum),
    valid_until: draft.valid_until === '' ? null : new Date(draft.valid_until).toISOString(),
    allowed_counterparties: draft.anyone ? null : linesOf(draft.counterparties),
    categories: draft.anything ? null : linesOf(draft.categories),
    require_memo: draft.require_memo,
    paused: draft.paused,
  };
}

function defectsOf(draft: Draft, mostCounterparties: number): Partial<Record<keyof Draft, string>> {
  const defects: Partial<Record<keyof Draft, string>> = {};
  for (const name of LIMITS) {
    const text = draft[name];
    if (text !== '' && !(LIMIT.test(text) && Number(text) <= MAX_LIMIT))
      defects[name] = 'A number from 0 to 1,000,000,000, with at most six decimals.';
  }
  if (draft.valid_until !== '' && !MOMENT.test(draft.valid_until)) defects.valid_until = 'A time such as 2030-01-31T12:00:00Z.';
  const bad = draft.anything ? undefined : linesOf(draft.categories).find((one) => !/^[a-z0-9][a-z0-9_-]{0,31}$/.test(one));
  if (bad !== undefined) defects.categories = `“${bad}” is no category: 1 to 32 of a-z, 0-9, _ and -.`;
  if (!draft.anyone && linesOf(draft.counterparties).length > mostCounterparties)
    defects.counterparties = `At most ${mostCounterparties.toLocaleString('en-US')}.`;
  return defects;
}
