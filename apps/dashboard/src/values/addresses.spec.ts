import { hostAndPath, hostOf } from './addresses';

test.each([
  ['https://api.example.com', 'api.example.com', 'api.example.com'],
  ['http://127.0.0.1:4021/report/', '127.0.0.1:4021', '127.0.0.1:4021/report'],
  ['https://api.example.com/v1/search?key=secret#top', 'api.example.com', 'api.example.com/v1/search'],
  ['https://api.example.com?x=/y', 'api.example.com', 'api.example.com'],
  ['api.example.com', 'api.example.com', 'api.example.com'],
])('%s has the host %s and is shown as %s', (address, host, shown) => {
  expect([hostOf(address), hostAndPath(address)]).toEqual([host, shown]);
});
