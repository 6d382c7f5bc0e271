/** The words of refusals and outages: apart, for the page of an outage is all that they cross to the browser for. */
export const errorWords = {
  outage: 'The records can’t be reached just now',
  outageHint: 'Nothing is lost. The server answers again as soon as its database does.',
  again: 'Try again',
  forbidden: 'This page is not yours to open',
  forbiddenHint: 'Your role does not include it. Ask the owner of the shop if you need it.',
  notFound: 'Nothing is here',
  notFoundHint: 'The record or the page does not exist, or it belongs to another shop.',
  home: 'Back to the start',
} as const
