/** What the door's handlers say where they refuse a request: apart, for the browser gets them one at a time. */
export const doorRefusals = {
  otherSite: 'This is taken from the door’s own page alone.',
  signedOut: 'Nobody is signed in here any more. Sign in again.',
  noDoor: 'This role does not let guests in.',
  noUndo: 'This role can’t undo a check-in. Ask the owner or the staff.',
  noScan: 'This is no scan of a ticket. Reload the page and scan again.',
  noCheckIn: 'This is no ticket to check in. Reload the page and look the guest up again.',
  noUndoing: 'Give a reason of 1 to 200 characters, and undo again.',
  noNote: 'A note’s name has 1 to 50 characters, its text at most 100.',
  noSearch: 'Type 2 to 200 characters.',
  noTicket: 'This is no ticket. Look the guest up again.',
  reload: 'This page has lost its place. Reload it and scan again.',
} as const
