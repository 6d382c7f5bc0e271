/** UI text for pages that do not exist or that the user may not open. */
export const missingPageCopy = {
  forbidden: 'You don’t have access to this page',
  forbiddenHint: 'Your role doesn’t include it. Ask an owner of your shop for access.',
  notFound: 'Page not found',
  notFoundHint: 'It doesn’t exist, or it belongs to another shop.',
  home: 'Go to home page',
} as const
