/** The words of a record’s page. */
export const recordWords = {
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
} as const
