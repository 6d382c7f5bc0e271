/** Error messages for requests sent by a page's script, in a separate file so that the browser does not load them. */
export const requestErrors = {
  signedOut: 'You have been signed out. Sign in again.',
  mustSetUpTwoFactor: 'Set up two-factor authentication first. To start, reload this page.',
  forbiddenRole: 'Your role does not allow this. Ask an owner of your shop for access.',
  otherSite: 'Cross-origin requests are not allowed. Choose columns on the list page.',
  unknownColumn: 'Unknown column. Reload the page and choose again.',
  unknownList: 'No such list. Check the URL.',
  unknownRecord: 'This record no longer exists. Reload the table.',
  unknownTicket: 'This ticket no longer exists. Reload the table.',
} as const
