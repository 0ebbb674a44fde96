import { localHits } from './search-local';

const hit = (name: string, more = '') => ({ to: `/${name}`, name, more });
const GROUPS = [
  { title: 'Places', hits: [hit('Webhooks'), hit('Accounts')] },
  { title: 'Keys', hits: [hit('night bot', 'aps_ag_3kF'), hit('day bot', 'aps_ag_9zz'), hit('Bot')] },
];
const namesFor = (text: string): string[] => localHits(text, GROUPS).flatMap(({ hits }) => hits.map(({ name }) => name));

test.each([
  ['hook', ['Webhooks']],
  ['bot', ['Bot', 'night bot', 'day bot']],
  ['bot night', ['night bot']],
  ['aps_ag_9', ['day bot']],
  ['nothing', []],
  ['  ', []],
])('%j finds %j: middles of words, further texts, and beginnings first', (text, names) => expect(namesFor(text)).toEqual(names));

test('a group has at most six lines', () => {
  const many = Array.from({ length: 20 }, (_, index) => hit(`account ${index}`));
  expect(localHits('account', [{ title: 'Accounts', hits: many }])[0]?.hits).toHaveLength(6);
});
