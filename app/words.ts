/** Every word of the dashboard, in one place. */
import type { ResourceName } from '@/lib/records'
import { errorWords } from './error-words'

export const words = {
  name: 'Checkout Desk',
  resources: { payments: 'Payments', bookings: 'Bookings', subscriptions: 'Subscriptions', coupons: 'Coupons' } satisfies Record<
    ResourceName,
    string
  >,
  /** What one record of a list is called. */
  one: { payments: 'Payment', bookings: 'Booking', subscriptions: 'Subscription', coupons: 'Coupon' } satisfies Record<
    ResourceName,
    string
  >,
  skip: 'Skip to the content',
  navigation: 'Main',
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    pending: 'Signing in…',
    wrong: 'That e-mail address and password do not go together. Check both and try again.',
    slowed: (seconds: number) => `Too many wrong tries. Wait ${seconds} s and try again.`,
    failed: 'Signing in did not work just now. Try again in a moment.',
    signOut: 'Sign out',
  },
  list: {
    search: 'Search',
    searchHint: {
      payments: 'E-mail or order',
      bookings: 'E-mail or order',
      subscriptions: 'E-mail, order or name',
      coupons: 'Label or code',
    } satisfies Record<ResourceName, string>,
    status: 'Status',
    anyStatus: 'Any status',
    page: 'Page',
    anyPage: 'Any page',
    perPage: 'Rows',
    columns: 'Columns',
    newer: 'Newer',
    older: 'Older',
    position: (from: number, to: number, total: number) =>
      `${from.toLocaleString('en')}–${to.toLocaleString('en')} of ${total.toLocaleString('en')}`,
    none: 'None',
    test: 'test',
    pages: 'Pages of the list',
    nothingYet: (what: string) => `No ${what.toLowerCase()} yet`,
    nothingYetHint: 'They appear here as soon as they are imported.',
    nothingMatches: 'Nothing matches',
    nothingMatchesHint: 'No record has all of this. Search for less, or leave a filter out.',
    clear: 'Clear search and filters',
    badLink: 'This link does not fit this list',
    firstPage: 'Show the newest',
  },
  record: {
    back: (list: string) => `All ${list.toLowerCase()}`,
    history: 'What happened',
    customer: 'Customer',
    everything: 'Everything of this customer',
    details: 'Details',
    raw: 'The record as the API gives it',
    events: {
      createdAt: 'Created',
      startDate: 'Started',
      trialStart: 'Trial started',
      trialEnd: 'Trial ends',
      abandonedCartEmailSentAt: 'Reminder of the cart sent',
      recoveredAt: 'Cart recovered',
      canceledAt: 'Canceled',
      cancelAt: 'To be canceled',
      currentPeriodStart: 'Period started',
      currentPeriodEnd: 'Period ends',
      redeemBy: 'Redeemable until',
      updatedAt: 'Last changed',
    },
  },
  errors: errorWords,
} as const
