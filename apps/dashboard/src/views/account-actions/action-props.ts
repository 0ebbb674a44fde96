import type { Account } from '../../data/types';

/** The properties of the dialog of an action on an account. */
export interface ActionProps {
  account: Account;
  onClose: () => void;
}
