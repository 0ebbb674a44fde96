import { hostAndPath, hostOf, partsOfUrl } from './addresses';

test.each([
  ['https://api.example.com', 'api.example.com', 'api.example.com'],
  ['http://127.0.0.1:4021/report/', '127.0.0.1:4021', '127.0.0.1:4021/report'],
  ['https://api.example.com/v1/search?key=secret#top', 'api.example.com', 'api.example.com/v1/search'],
  ['https://api.example.com?x=/y', 'api.example.com', 'api.example.com'],
  ['api.example.com', 'api.example.com', 'api.example.com'],
])('%s has the host %s and is shown as %s', (address, host, shown) => {
  expect([hostOf(address), hostAndPath(address)]).toEqual([host, shown]);
});

test.each([
  ['https://a.example', ['https://a.example']],
  ['https://a.example/hooks/in?key=1', ['https://a.example/', 'hooks/', 'in?key=1']],
  ['https://a.example//x/', ['https://a.example/', '/', 'x/']],
  ['https://a.example/?to=https://b.example/y', ['https://a.example/', '?to=https:/', '/', 'b.example/', 'y']],
  ['', []],
])('the URL %s is broken into %j', (url, parts) => {
  expect(partsOfUrl(url)).toEqual(parts);
  expect(parts.join('')).toBe(url);
});
