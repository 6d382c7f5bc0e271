/** Error messages of the check-in routes. In a separate file, so that the browser does not load them. */
export const doorRefusals = {
  noTwoFactor: 'Set up two-factor authentication first: reload this page.',
  otherSite: 'This request can only come from the check-in page.',
  signedOut: 'You have been signed out. Sign in again.',
  deviceEnded: 'This device was revoked or has expired. Ask the organizer for a new code.',
  noEvent: 'This device can’t check in this event. Choose one of its events.',
  noSearchRight: 'This device can only scan codes. Ask the organizer to check in this guest.',
  noDoor: 'Your role can’t check in guests.',
  noUndo: 'You can’t undo a check-in here. Ask an owner or a staff member.',
  noScan: 'This code can’t be read. Reload the page and scan again.',
  noCheckIn: 'This ticket can’t be checked in. Reload the page and search for the guest again.',
  noUndoing: 'Enter a reason (1 to 200 characters) and try again.',
  noNote: 'Enter a name (1 to 50 characters) and a text (up to 100 characters).',
  noSearch: 'Type 2 to 200 characters.',
  noTicket: 'This ticket can’t be opened. Search for the guest again.',
  unknownTicket: 'This ticket can’t be found. Search for the guest again.',
  reload: 'This page is out of date. Reload it and scan again.',
} as const
