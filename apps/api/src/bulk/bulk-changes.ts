/** The effects of a change of many accounts, in sentences. */
import { type Account, MAX_LABELS } from '../accounts';
import { changedPolicy, policyChanges, type UpdatePolicyDto } from '../policy';

/** Sentences at most: accounts under different policies change in different ways. */
const MAX_SENTENCES = 50;

/** The effects of a policy change, by the policies as they were last read: each sentence once, with the number of its accounts. */
export function changesOfMany(accounts: Account[], wanted: UpdatePolicyDto): string[] {
  const sentences = accounts.flatMap(({ state, policy }) => {
    if (state === 'closed') return ['The account is closed: it fails with conflict.'];
    const changes = policyChanges(policy, changedPolicy(policy, wanted));
    return changes.length === 0 ? ['The account is as asked already.'] : changes;
  });
  return counted(sentences);
}

/** The effects of adding or removing labels. */
export function labelChangesOfMany(
  accounts: Account[],
  { action, labels = [] }: { action: string; labels?: string[] | undefined },
): string[] {
  const isAdding = action === 'add_labels';
  const sentences = accounts.map((account) => {
    if (account.state === 'closed') return 'The account is closed: it fails with conflict.';
    const changed = labels.filter((label) => account.labels.includes(label) !== isAdding);
    if (changed.length === 0) return 'The account is as asked already.';
    if (isAdding && account.labels.length + changed.length > MAX_LABELS)
      return `The account would have more than ${MAX_LABELS} labels: it fails with invalid_request.`;
    return `Labels ${isAdding ? 'added' : 'removed'}: ${changed.toSorted().join(', ')}.`;
  });
  return counted(sentences);
}

/** The effects of moving accounts into a fleet, or out of theirs: `fleetId` null. */
export function fleetChangesOfMany(accounts: Account[], fleetId: string | null): string[] {
  const sentences = accounts.map((account) => {
    if (account.state === 'closed') return 'The account is closed: it fails with conflict.';
    if (account.fleetId === fleetId) return 'The account is as asked already.';
    return fleetId === null ? `The account leaves the fleet ${account.fleetId ?? ''}.` : `The account joins the fleet ${fleetId}.`;
  });
  return counted(sentences);
}

/** Each sentence once, with how often it occurs. */
export function counted(sentences: string[]): string[] {
  const counts = new Map<string, number>();
  for (const sentence of sentences) counts.set(sentence, (counts.get(sentence) ?? 0) + 1);
  return [...counts].slice(0, MAX_SENTENCES).map(([sentence, count]) => `${count === 1 ? '1 account' : `${count} accounts`}: ${sentence}`);
}
