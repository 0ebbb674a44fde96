/** Shows a notification of each order that waits for approval, also while no page is open. The service sends it: notification.ts. */

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('push', (event) => event.waitUntil(show(event.data.json())));
self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

function show({ title, body, expires_at, tag, path }) {
  const until = new Date(expires_at).toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return self.registration.showNotification(title, {
    body: `${body}\nWaits until ${until}`,
    tag,
    data: { path },
    icon: '/dashboard/favicon.svg',
  });
}

/** Shows a page of the dashboard in a tab that has it open, else in a new one. */
async function open(path) {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pages.find(({ url }) => new URL(url).pathname.startsWith('/dashboard'));
  if (!page) return self.clients.openWindow(`/dashboard${path}`);
  page.postMessage({ show: path });
  return page.focus();
}
