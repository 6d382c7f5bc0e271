/** Defenses for check-in devices, guest searches and counts. */
import type { Defense } from './defenses'

const ACCESS = 'app/door/device-access.test.ts'
const DEVICES = 'lib/accounts/check-in-devices.test.ts'

export const DEVICE_DEFENSES: Defense[] = [
  {
    name: 'check-in devices: rights are checked',
    cuts: [{ file: 'app/door/door-request.ts', from: 'if (!rights.includes(right))', to: 'if (!rights)' }],
    test: { file: ACCESS, title: 'require other rights' },
    says: /deeply equal \[ 'search'/,
  },
  {
    name: 'check-in devices: restricted to their events',
    cuts: [
      { file: 'app/door/door-request.ts', from: 'if (event === undefined || !pageIds.includes(event))', to: 'if (event === undefined)' },
    ],
    test: { file: ACCESS, title: 'checks in guests only for its own events' },
    says: /expected 200 to be 403/,
  },
  {
    name: 'check-in devices: no details of other events',
    cuts: [{ file: 'app/door/door-request.ts', from: 'if (!details || !maySee(caller, details.guest.pageId))', to: 'if (!details)' }],
    test: { file: ACCESS, title: 'checks in guests only for its own events' },
    says: /other_event/,
  },
  {
    name: 'check-in devices: revocation',
    cuts: [{ file: 'lib/accounts/check-in-devices.ts', from: '} and \u0024{devices.revokedAt} is null and', to: '} and' }],
    test: { file: ACCESS, title: 'is rejected as soon as it is revoked' },
    says: /key_invalid/,
  },
  {
    name: 'check-in page: no scans in a shop that the user is no longer signed in to',
    cuts: [
      {
        file: 'app/door/door-caller.ts',
        from: 'const isUsersPage = user !== undefined && isForPage(user, pageSellerId)',
        to: 'const isUsersPage = user !== undefined',
      },
    ],
    test: { file: ACCESS, title: 'cannot use any route, and its scans are not recorded' },
    says: /403/,
  },
  {
    name: 'check-in devices: a code sets up only one device',
    cuts: [{ file: 'lib/accounts/check-in-devices.ts', from: '          isNull(devices.enrolledAt),\n', to: '' }],
    test: { file: DEVICES, title: 'sets up only one device if it is used several times' },
    says: /to have a length of 1 but got 3/,
  },
  {
    name: 'check-in devices: forged tokens are looked up only within the limit per IP address',
    cuts: [
      {
        file: 'lib/http/page-handler.ts',
        from: '    await limitAddress(address)\n',
        to: '    await findDevice(incoming)\n    await limitAddress(address)\n',
      },
    ],
    test: { file: 'lib/http/page-handler.test.ts', title: 'looks up a forged token only within the limit' },
    says: /deeply equal \[ 429, \+?0 \]/,
  },
  {
    name: 'check-in devices: devices known at startup do not compete with visitors on their network',
    cuts: [{ file: 'lib/http/page-handler.ts', from: '(token !== undefined && isKnownDevice(token) ?', to: '(!isKnownDevice ?' }],
    test: { file: 'lib/http/page-handler.test.ts', title: 'serves a device that was loaded at startup' },
    says: /429,/,
  },
  {
    name: 'check-in devices: a device that floods the server does not block lookups of others',
    cuts: [{ file: 'lib/accounts/door-lookups.ts', from: "lookups.acquire(sellers.get(owner) ?? '', owner)", to: "lookups.acquire('')" }],
    test: { file: 'lib/accounts/door-lookups.test.ts', title: 'before the waiting lookups of a flood' },
    says: /to have a length of 42 but got 44/,
  },
  {
    name: 'ticket lists: changes that commit late are included',
    cuts: [{ file: 'lib/admission/ticket-list.ts', from: 'select pg_snapshot_xmin(', to: 'select pg_snapshot_xmax(' }],
    test: { file: 'lib/admission/ticket-list.test.ts', title: 'commits after newer ones' },
    says: /to include/,
  },
  {
    name: 'ticket lists: no guest name if the ticket’s code can be guessed',
    cuts: [{ file: 'lib/admission/ticket-list.ts', from: 'hasName && isStrong)', to: 'hasName)' }],
    test: { file: 'app/door/tickets/route.test.ts', title: 'opens with a ticket’s code' },
    says: /Ben Weak/,
  },
  {
    name: 'ticket lists: slow derivation for weak codes',
    cuts: [{ file: 'lib/admission/code-strength.ts', from: 'if (RANDOM_UUID.test(code))', to: 'if (code !== "")' }],
    test: { file: 'lib/admission/ticket-list.test.ts', title: 'TICKET-0000000001' },
    says: /expected true to be false/,
  },
  {
    name: 'check-in devices: checking out guests requires a right',
    cuts: [{ file: 'app/door/scan/route.ts', from: "if (direction === 'out') requireRight(caller, 'checkout')", to: '' }],
    test: { file: 'app/door/scans/check-out.test.ts', title: 'requires the right to check out guests' },
    says: /checked_out/,
  },
  {
    name: 'check-in devices: no ticket list for events without offline check-in',
    cuts: [
      { file: 'lib/admission/ticket-list.ts', from: ' and coalesce(event.offline_admission, true) as "isListed"', to: ' as "isListed"' },
    ],
    test: { file: 'app/door/tickets/route.test.ts', title: 'follows the settings of the event' },
    says: /to have a length of|expected \[/,
  },
  {
    name: 'guest search: limit on compared tickets',
    cuts: [
      { file: 'lib/admission/find-guests.ts', from: '{newest} \u0024{constant(MAX_READ)}) as recent', to: '{newest} 1000000) as recent' },
      { file: 'lib/admission/find-guests.ts', from: '{newest} \u0024{constant(MAX_READ)})`', to: '{newest} 1000000)`' },
    ],
    test: { file: 'lib/admission/find-guests.test.ts', title: 'compares a limited number of tickets' },
    says: /true, \+?false|deeply equal/,
  },
  {
    name: 'guest search: common words do not use the index',
    cuts: [{ file: 'lib/admission/find-guests.ts', from: '>= \u0024{constant(COMMON)} as is_common', to: '>= 1000000 as is_common' }],
    test: { file: 'lib/admission/find-guests.test.ts', title: 'does not use the index' },
    says: /to match/,
  },
  {
    name: 'ticket lists: follow the settings of each event',
    cuts: [{ file: 'lib/admission/ticket-list.ts', from: ' && previous.settings === settings', to: '' }],
    test: { file: 'app/door/tickets/route.test.ts', title: 'follows the settings of the event' },
    says: /"name": null|to match object/,
  },
  {
    name: 'people inside: concurrent exits with the same unknown code let out different guests',
    cuts: [
      { file: 'lib/admission/unlisted-guests.ts', from: 'select pg_advisory_xact_lock(hashtextextended(', to: 'select length(concat(' },
    ],
    test: { file: 'lib/admission/unlisted-guests.test.ts', title: 'lets out different guests' },
    says: /to deeply equal/,
  },
  {
    name: 'people inside: concurrent exits of a code cause no deadlock',
    cuts: [
      {
        file: 'lib/admission/unlisted-guests.ts',
        from: '  await lockScans(connection, sellerId, digest)\n  // An imported',
        to: '  // An imported',
      },
    ],
    test: { file: 'lib/admission/unlisted-guests.test.ts', title: 'causes no deadlock' },
    says: /deadlock detected/,
  },
  {
    name: 'people inside: limit on exits per code',
    cuts: [{ file: 'lib/admission/unlisted-guests.ts', from: ' offset \u0024{MAX_EXITS - 1}', to: ' limit 0' }],
    test: { file: 'lib/admission/unlisted-guests.test.ts', title: 'the exits of a code without a ticket' },
    says: /to deeply equal/,
  },
  {
    name: 'people inside: limit on scans of an unknown code',
    cuts: [{ file: 'lib/admission/unlisted-guests.ts', from: 'const MAX_SCANS = 1_000', to: 'const MAX_SCANS = 1_000_000' }],
    test: { file: 'lib/admission/unlisted-guests.test.ts', title: 'if its code has more than 1,000 scans' },
    says: /exit 1001/,
  },
  {
    name: 'people inside: one per entry of a ticket that admits multiple times',
    cuts: [{ file: 'lib/admission/change-ticket.ts', from: 'return isIn ? 1 : 0', to: 'return 0' }],
    test: { file: 'app/door/scans/check-out.test.ts', title: 'counts one person per entry and exit' },
    says: /expected 'not_checked_in' to be 'checked_out'/,
  },
  {
    name: 'check-outs do not confirm guessed codes',
    cuts: [{ file: 'lib/http/unknown-codes.ts', from: "'other_event', 'not_checked_in'", to: "'other_event'" }],
    test: { file: 'app/door/scan/route.test.ts', title: 'guests who are not checked in as for' },
    says: /expected 200 to be 429/,
  },
  {
    name: 'check-in devices: limit on browsers set up by a user',
    cuts: [{ file: 'lib/accounts/check-in-devices.ts', from: 'own.count >= MAX_PER_USER', to: 'own.count < -MAX_PER_USER' }],
    test: { file: 'app/door/enroll/enroll-self.test.ts', title: 'can enroll at most 100 browsers' },
    says: /to deeply equal/,
  },
  {
    name: 'check-in devices: limit on renames of a user’s browsers',
    cuts: [{ file: 'lib/accounts/check-in-devices.ts', from: ' >= MAX_RENAMES', to: ' < -MAX_RENAMES' }],
    test: { file: 'app/door/enroll/enroll-self.test.ts', title: 'can be renamed at most 100 times a day' },
    says: /expected 10[123] to be 100/,
  },
  {
    name: 'check-in devices: a browser is renamed only by the user who set it up',
    cuts: [
      {
        file: 'lib/accounts/check-in-devices.ts',
        from: 'isNull(devices.revokedAt), isOwnBrowserOf(by.userId)',
        to: 'isNull(devices.revokedAt)',
      },
    ],
    test: { file: 'app/door/enroll/enroll-self.test.ts', title: 'can be renamed by its user' },
    says: /to match object/,
  },
  {
    name: 'check-in devices: a disabled user’s setup codes and browsers are revoked',
    cuts: [
      {
        file: 'lib/accounts/team.ts',
        from: 'or(isPendingDeviceOf(member.userId), isOwnBrowserOf(member.userId))',
        to: "and(isPendingDeviceOf(''), or(isOwnBrowserOf('')))",
      },
    ],
    test: { file: 'lib/accounts/team.test.ts', title: 'are revoked when the user is disabled' },
    says: /to deeply equal/,
  },
  {
    name: 'check-in devices: setup codes of a user who may no longer create devices are revoked',
    cuts: [{ file: 'lib/accounts/team.ts', from: "if (!mayUse(role, 'records'))", to: "if (!mayUse(role, 'door'))" }],
    test: { file: 'lib/accounts/team.test.ts', title: 'can no longer be set up with the user’s codes' },
    says: /to deeply equal/,
  },
  {
    name: 'guest search: words contained in other words are dropped',
    cuts: [{ file: 'lib/admission/find-guests.ts', from: 'other !== word && other.includes(word)', to: 'other !== word && !other' }],
    test: { file: 'lib/admission/find-guests.test.ts', title: 'stays low for terms with many words' },
    says: /to deeply equal/,
  },
  {
    name: 'guest search: typos are allowed only in searches with few words',
    cuts: [{ file: 'lib/admission/find-guests.ts', from: 'MAX_WORDS_WITH_TYPO = 8', to: 'MAX_WORDS_WITH_TYPO = 80' }],
    test: { file: 'lib/admission/find-guests.test.ts', title: 'stays low for terms with many words' },
    says: /"LH1"/,
  },
  {
    name: 'guest search: limit per seller',
    cuts: [{ file: 'lib/admission/find-guests.ts', from: 'perSeller: { limit: 2,', to: 'perSeller: { limit: 3,' }],
    test: { file: 'lib/admission/find-guests.test.ts', title: 'which leaves connections for lists' },
    says: /to deeply equal/,
  },
  {
    name: 'count streams: limit per seller',
    cuts: [{ file: 'lib/http/count-streams.ts', from: ' || countOpen(sellerId) >= LIMIT_PER_SELLER', to: ' || LIMIT_PER_SELLER === 0' }],
    test: { file: 'app/door/counts/route.test.ts', title: 'is limited per seller' },
    says: /429/,
  },
  {
    name: 'count streams: limit per device',
    cuts: [{ file: 'lib/http/count-streams.ts', from: ' || countOpen(actorId) >= LIMIT_PER_CALLER', to: ' || LIMIT_PER_CALLER === 0' }],
    test: { file: 'app/door/counts/route.test.ts', title: 'is limited per device' },
    says: /429/,
  },
  {
    name: 'count streams: end when the device is revoked',
    cuts: [{ file: 'lib/http/count-streams.ts', from: '(isAllowed) => isAllowed || close()', to: '(isAllowed) => isAllowed' }],
    test: { file: 'app/door/counts/route.test.ts', title: 'ends within 15 seconds' },
    says: /timed out/,
  },
  {
    name: 'check-in devices: a browser set up by a user works only while a user of its seller is signed in',
    cuts: [
      { file: 'app/door/door-caller.ts', from: 'if (device && needsSession(device)) throw', to: 'if (device && !device) throw' },
      {
        file: 'app/door/door-caller.ts',
        from: 'if (device && !needsSession(device)) return toDeviceCaller(device)',
        to: 'if (device) return toDeviceCaller(device)',
      },
    ],
    test: { file: 'app/door/enroll/enroll-self.test.ts', title: 'only while a user of its seller' },
    says: /to deeply equal/,
  },
  {
    name: 'check-in counts do not block doors',
    cuts: [
      {
        file: 'db/migrations/0041_count_slots.sql',
        from: 'WHILE NOT pg_try_advisory_xact_lock(1937009780, slot) LOOP',
        to: 'WHILE false LOOP',
      },
    ],
    test: { file: 'lib/admission/turnout.test.ts', title: 'without waiting for a check-in' },
    says: /lock timeout/,
  },
  {
    name: 'ticket lists: sellers take turns',
    cuts: [{ file: 'lib/admission/ticket-list.ts', from: '    sellerId,\n    () =>', to: "    '',\n    () =>" }],
    test: { file: 'lib/admission/ticket-list.test.ts', title: 'does not wait for all requests from a device' },
    says: /to be less than 20/,
  },
  {
    name: 'ticket lists: limit on counted tickets per order',
    cuts: [{ file: 'lib/admission/ticket-list.ts', from: 'limit \u0024{MAX_OTHERS + 1}) as counted', to: ') as counted' }],
    test: { file: 'lib/admission/ticket-list.test.ts', title: 'counts at most 51 other tickets' },
    says: /51/,
  },
  {
    name: 'scans: a code that moves to another ticket during a scan admits that ticket’s guest',
    cuts: [
      {
        file: 'lib/admission/change-ticket.ts',
        from: 'if (row.ticketId !== (ticket?.id ?? null)) throw new ConcurrentChangeError()',
        to: '',
      },
    ],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'admits the guest with the other ticket' },
    says: /The result has no ticket: unknown/,
  },
  {
    name: 'scans: limit on the tickets read per order',
    cuts: [
      {
        file: 'lib/admission/ticket-details.ts',
        from: "nullif(order_id, '') from ticket) limit \u0024{MAX_READ_SQL})",
        to: "nullif(order_id, '') from ticket))",
      },
    ],
    test: { file: 'lib/admission/find-guests.test.ts', title: 'without reading more than 500 of them' },
    says: /to be 500/,
  },
  {
    name: 'scans: limit on the entries of a ticket',
    cuts: [{ file: 'lib/admission/change-ticket.ts', from: 'entries.length >= MAX_ENTRIES', to: 'entries.length > Infinity' }],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'accepts no entries after the first 10,000' },
    says: /instead of rejecting/,
  },
  {
    name: 'scans: limit on the entries in the details of a ticket',
    cuts: [{ file: 'lib/admission/ticket-details.ts', from: 'desc limit \u0024{sql.raw(String(MAX_HISTORY))}', to: 'desc' }],
    test: { file: 'lib/admission/validate-ticket.test.ts', title: 'is returned with its latest 200 entries' },
    says: /301/,
  },
]
