/** Short forms of values for tables and tiles: rounded amounts and relative times, with the exact ones in their titles. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** `is`: whether values are brief. `inLink`: whether they are inside a row that is one link, and have none of their own. */
export const Brief = createContext({ is: false, inLink: false });

export function useBrief(): boolean {
  return useContext(Brief).is;
}

/** Whether the component is inside a row that is one link. */
export function useInLink(): boolean {
  return useContext(Brief).inLink;
}
