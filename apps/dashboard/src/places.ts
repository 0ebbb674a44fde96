/** The places of the navigation, in their groups. */
import {
  Activity,
  ArrowLeftRight,
  CircleCheck,
  House,
  KeyRound,
  ListChecks,
  Network,
  Receipt,
  ScrollText,
  Signature,
  Store,
  Timer,
  Users,
  WalletMinimal,
  Webhook,
  type IconNode,
} from 'lucide';

/** A place: the path of its view below /dashboard, without the slash. */
export interface Place {
  path: string;
  title: string;
  icon: IconNode;
  /** Whether a phone shows it in its bar. */
  isFirst?: true;
}

/** Places under a heading. */
export interface PlaceGroup {
  title: string;
  places: Place[];
}

export const OVERVIEW: Place = { path: '', title: 'Overview', icon: House, isFirst: true };

/** The requests to sign, of an operator that holds its chain key. */
const SIGNATURES: Place = { path: 'signatures', title: 'Signatures', icon: Signature };

const GROUPS: PlaceGroup[] = [
  {
    title: 'Money',
    places: [
      { path: 'approvals', title: 'Approvals', icon: CircleCheck, isFirst: true },
      { path: 'transfers', title: 'Transfers', icon: ArrowLeftRight, isFirst: true },
      { path: 'payments', title: 'Payments', icon: Receipt },
      { path: 'sessions', title: 'Sessions', icon: Timer },
      { path: 'purses', title: 'Purses', icon: WalletMinimal },
    ],
  },
  {
    title: 'Agents',
    places: [
      { path: 'accounts', title: 'Accounts', icon: Users, isFirst: true },
      { path: 'fleets', title: 'Fleets', icon: Network },
      { path: 'providers', title: 'Providers', icon: Store },
    ],
  },
  {
    title: 'Developers',
    places: [
      { path: 'keys', title: 'API keys', icon: KeyRound },
      { path: 'webhooks', title: 'Webhooks', icon: Webhook },
      { path: 'activity', title: 'Events', icon: Activity },
    ],
  },
  {
    title: 'Log',
    places: [
      { path: 'jobs', title: 'Jobs', icon: ListChecks },
      { path: 'audit', title: 'Audit log', icon: ScrollText },
    ],
  },
];

/** The place whose title a path spells, such as `api-keys` or `audit_log`. */
export function placeTitled(path: string): Place | undefined {
  const title = path.toLowerCase().replaceAll(/[-_]/g, ' ');
  return [OVERVIEW, ...GROUPS.flatMap(({ places }) => places)].find((place) => place.title.toLowerCase() === title);
}

/** The groups of an operator. `hasSignatures`: whether it holds its chain key. */
export function placeGroups(hasSignatures: boolean): PlaceGroup[] {
  if (!hasSignatures) return GROUPS;
  return GROUPS.map((group) => (group.title === 'Money' ? { ...group, places: [SIGNATURES, ...group.places] } : group));
}
