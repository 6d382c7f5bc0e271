/** Defenses for offline check-in and for scans that devices report afterward. */
import type { Defense } from './defenses'

const SCANS = 'app/door/scans/route.test.ts'

export const OFFLINE_DEFENSES: Defense[] = [
  {
    name: 'offline scans: replayed in order of time',
    cuts: [
      {
        file: 'lib/admission/replay-facts.ts',
        from: '(a.time === b.time ? compareKeys(a.key, b.key) : a.time - b.time)',
        to: '(a.time === b.time ? compareKeys(a.key, b.key) : 0)',
      },
    ],
    test: { file: SCANS, title: 'in every order of arrival' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: recorded once per ID',
    cuts: [{ file: 'lib/admission/offline-scans.ts', from: '|| context.isKnown) return', to: ') return' }],
    test: { file: SCANS, title: 'no matter how often it is sent' },
    says: /duplicate key|toMatchObject|to match object/,
  },
  {
    name: 'offline scans: an online request for the same scan that arrives afterward is rejected',
    cuts: [
      {
        file: 'lib/admission/offline-scans.ts',
        from: 'values (\u0024{sellerId}, \u0024{id},',
        to: "values (\u0024{sellerId}, \u0024{id} || 'x',",
      },
    ],
    test: { file: SCANS, title: 'if its first online request arrives later' },
    says: /expected 200 to be 422/,
  },
  {
    name: 'offline scans: a revoked device must delete its ticket list',
    cuts: [{ file: 'app/door/scans/route.ts', from: 'wipe: !device.isValid', to: 'wipe: false' }],
    test: { file: SCANS, title: 'is accepted from a revoked device' },
    says: /"wipe": true/,
  },
  {
    name: 'offline check-in: a ticket list from a newer version is not stored',
    cuts: [{ file: 'app/door/offline/transfer.ts', from: "if (isOutdated) return 'stopped'", to: '' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'with a newer version' },
    says: /is not a function/,
  },
  {
    name: 'offline check-in: stalled responses time out',
    cuts: [{ file: 'app/door/offline/server-link.ts', from: 'const content = await response.arrayBuffer()', to: 'return response' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'checks a ticket locally if the server does not respond in time' },
    says: /timed out|unreachable|content/i,
  },
  {
    name: 'offline check-in: a proxy’s page is not mistaken for a response from the server',
    cuts: [{ file: 'app/door/offline/server-link.ts', from: 'if (!isOutage && !isFromServer(response))', to: 'if (!response)' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'treats the page of a proxy as no connection' },
    says: /expected true to be false/,
  },
  {
    name: 'offline check-in: a device stays online if an older request fails',
    cuts: [{ file: 'app/door/offline/server-link.ts', from: 'if (hasFailed && number < newestResponse) return', to: '' }],
    test: { file: 'app/door/offline/server-link.test.ts', title: 'ignores the failure of a request' },
    says: /expected true to be false/,
  },
  {
    name: 'offline check-in: nothing is stored from an update during which the list was deleted',
    cuts: [
      {
        file: 'app/door/offline/store.ts',
        from: "if (toPageList(await transaction.objectStore('state').get('list'))?.cursor !== cursor) return false",
        to: 'void cursor',
      },
    ],
    test: { file: 'app/door/offline/engine.test.ts', title: 'stores nothing from an update' },
    says: /isComplete/,
  },
  {
    name: 'offline scans: limit on scans per ticket',
    cuts: [{ file: 'lib/admission/offline-scan-statements.ts', from: 'const MAX_FACTS = 1_000', to: 'const MAX_FACTS = 1_000_000' }],
    test: { file: 'app/door/scans/route.test.ts', title: 'if its ticket has 1,000 entries and scans' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: a guest whom the device turned away is not counted as inside',
    cuts: [
      {
        file: 'lib/admission/offline-scans.ts',
        from: 'target ? makeUndo(scanFact, target) : scanFact',
        to: 'scanFact',
      },
    ],
    test: { file: SCANS, title: 'if the server’s decision about the same scan was different' },
    says: /UNCHECKEDIN/,
  },
  {
    name: 'offline scans: an undo reverts only its own entry, not an earlier one at another door',
    cuts: [{ file: 'lib/admission/replay-facts.ts', from: 'target !== undefined && (', to: '!target && (' }],
    test: { file: SCANS, title: 'keeps the ticket checked in if staff at another door' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: a ticket moved to another event keeps its conflicts and the people inside',
    cuts: [{ file: 'lib/admission/offline-scan-statements.ts', from: '(\u0024{HAS_COUNTED} or (', to: '((' }],
    test: { file: 'app/door/scans/check-out.test.ts', title: 'keeps its conflicts and its guests inside' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: two tabs do not let in the same ticket',
    cuts: [
      {
        file: 'app/door/offline/store.ts',
        from: '?.at === condition.lastEnteredAt',
        to: '?.at !== -1',
      },
    ],
    test: { file: 'app/door/offline/engine.test.ts', title: 'if two tabs scan the same code' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: the server does not let in a copy of a ticket whose scan is unsent',
    cuts: [{ file: 'app/door/offline/scan-sender.ts', from: "if (unsent.has(codeKey.index)) return 'notSent'", to: '' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'readmit a guest it has let in but not reported yet' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: the server does not let in such a copy with its code in a different form',
    cuts: [{ file: 'app/door/offline/scan-sender.ts', from: "return 'unsentAlias'", to: 'return sendToServer(scan)' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'readmit a guest it has let in but not reported yet' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: the server does not let in such a copy while the ticket is not on the list',
    cuts: [{ file: 'app/door/offline/scan-sender.ts', from: 'refs.has(ref) || ', to: '' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'a guest it has let in but not reported yet if the ticket' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: a guest let in after a lost response counts only once',
    cuts: [
      {
        file: 'app/door/offline/engine.ts',
        from: "if (await storeDecision(scan, list, decision, 'overrideHeld')) return scan.id",
        to: '',
      },
    ],
    test: { file: 'app/door/offline/waiting-tickets.test.ts', title: 'counts a guest once if the person at the door lets them in after' },
    says: /Object\.is equality/,
  },
  {
    name: 'offline check-in: a scan that is repeated before it has a result is not checked twice',
    cuts: [{ file: 'app/door/offline/share-scans.ts', from: 'if (first) return toRepeated(await first)', to: '' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'counts a scan that is repeated before it has a result' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: the list contains the changes that were made while it was loading',
    cuts: [{ file: 'lib/admission/ticket-list.ts', from: 'return { hasMore: true, cursor:', to: 'return { hasMore: isFull, cursor:' }],
    test: { file: 'app/door/offline/list-loading.test.ts', title: 'contains the check-ins at other doors while it was loading' },
    says: /Object\.is equality/,
  },
  {
    name: 'offline check-in: a device remembers whom it has let in with a ticket that its list still lacks',
    cuts: [{ file: 'app/door/offline/store.ts', from: 'list?.waiting ? indexes : []', to: 'list ? [] : indexes' }],
    test: { file: 'app/door/offline/waiting-tickets.test.ts', title: 'remembers whom it has let in with one of them' },
    says: /to match object/,
  },
  {
    name: 'offline check-in: a page does not check tickets with the list of another shop',
    cuts: [{ file: 'app/door/offline/store.ts', from: 'list.sellerId === sellerId', to: 'list.sellerId !== ""' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'does not check tickets with the list of another shop' },
    says: /to match object/,
  },
  {
    name: 'offline scans: a slow response does not shift their times',
    cuts: [{ file: 'app/door/offline/transfer.ts', from: 'Math.min(Math.max(last, least), most)', to: '(least + most) / 2' }],
    test: { file: 'app/door/offline/list-loading.test.ts', title: 'does not change the measured clock offset' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: an update that was interrupted does not make the device forget whom it has let in',
    cuts: [{ file: 'app/door/offline/transfer.ts', from: ' && !isResumed)', to: ')' }],
    test: { file: 'app/door/offline/transfer.test.ts', title: 'that was interrupted after the page with the ticket' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: a clock that is set back does not hide an entry',
    cuts: [
      { file: 'app/door/offline/decide-locally.ts', from: ' && entered.nonce !== nonce', to: '' },
      { file: 'app/door/offline/engine.ts', from: 'Math.max(now() - clockOffset, Math.floor(knownAt) + 1)', to: 'now() - clockOffset' },
    ],
    test: { file: 'app/door/offline/engine.test.ts', title: 'keeps the order of a guest’s entries and exits' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: a rejected batch is split in half',
    cuts: [{ file: 'app/door/offline/transfer.ts', from: 'else size = Math.ceil(scans.length / 2)', to: 'else return true' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'halves a batch' },
    says: /to deeply equal \[ 9, 5, 3/,
  },
  {
    name: 'offline guest search: only devices that may search receive names',
    cuts: [
      { file: 'lib/admission/ticket-list.ts', from: 'maySearch && hasNames && snapshot.hasSearch', to: 'hasNames && snapshot.hasSearch' },
    ],
    test: { file: 'app/door/tickets/route.test.ts', title: 'has names for the search' },
    says: /to deeply equal/,
  },
  {
    name: 'offline guest search: the key is not stored',
    cuts: [
      {
        file: 'app/door/offline/transfer.ts',
        from: 'await store.savePage(page, state, ',
        to: 'await store.savePage(page, { ...state, ...page }, ',
      },
    ],
    test: { file: 'app/door/offline/engine.test.ts', title: 'stores no code' },
    says: /to be false/,
  },
  {
    name: 'offline scans: only devices that may search can report guests found by name',
    cuts: [
      {
        file: 'lib/admission/offline-scans.ts',
        from: "scan.ticketId !== undefined && !hasRight(device, 'search')",
        to: 'scan.id === undefined',
      },
    ],
    test: { file: SCANS, title: 'found by name is manual' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: an earlier device of a browser has no more permissions than the current one',
    cuts: [
      {
        file: 'lib/admission/offline-scans.ts',
        from: 'hasRight(earlier, right) && hasRight(current, right)',
        to: 'hasRight(earlier, right)',
      },
    ],
    test: {
      file: 'app/door/offline/engine.test.ts',
      title: 'reports the earlier device’s scans only within the current device’s permissions and events',
    },
    says: /AssertionError/,
  },
  {
    name: 'offline scans: reported for another device only by a browser that was this device',
    cuts: [{ file: 'lib/admission/signed-device-id.ts', from: '&& timingSafeEqual(received, expected) ', to: '' }],
    test: { file: 'app/door/offline/engine.test.ts', title: 'cannot report scans as another device' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: rate limit for unknown codes',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: 'if (counted?.isExceeded) {', to: 'if (counted && !counted) {' }],
    test: { file: SCANS, title: 'count as unknown codes: after 100 in a minute' },
    says: /to deeply equal/,
  },
  {
    name: 'offline scans: rate limit for unknown codes also applies to parallel guesses',
    cuts: [
      {
        file: 'lib/http/unknown-codes.ts',
        from: 'const counted = budget() === 0 ? undefined : await consume(getLimiter(), actorId)',
        to: 'const state = await getLimiter().get(actorId)\n    const counted = state && { state, isExceeded: state.remainingPoints === 0 }',
      },
      {
        file: 'lib/http/unknown-codes.ts',
        from: 'else if (counted) await getLimiter().reward(actorId)',
        to: '\n    if (isUnknown) await consume(getLimiter(), actorId)',
      },
    ],
    test: { file: SCANS, title: 'do not exceed this limit if they are sent in parallel' },
    says: /to have a length of 100/,
  },
  {
    name: 'offline scans: unreadable scans do not hide conflicts',
    cuts: [
      { file: 'lib/listing/list-conflicts.ts', from: "when conflict = 'unreadable' then 1", to: "when conflict = 'unreadable' then 2" },
    ],
    test: { file: 'lib/listing/list-conflicts.test.ts', title: 'open conflicts come before unreadable scans' },
    says: /to deeply equal/,
  },
  {
    name: 'offline check-in: storing the page is retried',
    cuts: [
      {
        file: 'app/door/use-offline.ts',
        from: 'updates.current % INSTALL_UPDATES === 0 && next?.isOffline === false',
        to: 'updates.current % INSTALL_UPDATES < 0',
      },
    ],
    built: true,
    test: { file: 'e2e/door/offline.spec.ts', title: 'a device whose browser refused to store the page stores it later' },
    says: /"storing"/,
  },
  {
    name: 'check-in: focus stays in the panel if the focused element is removed',
    cuts: [
      {
        file: 'app/door/focus.ts',
        from: 'last instanceof Element && !last.isConnected && document.activeElement === document.body',
        to: 'last === box',
      },
    ],
    built: true,
    test: { file: 'e2e/dashboard/door-panel.spec.ts', title: 'notes can be added, changed and removed' },
    says: /toBeFocused/,
  },
]
