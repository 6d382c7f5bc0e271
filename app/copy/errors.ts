/** UI text for the error pages other than the outage page, and for a form that is too large. */
export const errorCopy = {
  forbidden: 'You don’t have access to this page',
  forbiddenHint: 'Your role doesn’t include it. Ask an owner of your shop for access.',
  notFound: 'Page not found',
  notFoundHint: 'It doesn’t exist, or it belongs to another shop.',
  home: 'Go to home page',
  formTooLarge: 'This is too much text for one form. Shorten it and try again.',
} as const
