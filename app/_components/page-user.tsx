'use client'
/** Stores the ID of the user that the page was rendered for. Each change sends this ID (`app/page-user.ts`). */
import { createContext, type ReactNode, useContext, useState } from 'react'
import { PAGE_USER } from '../page-user'

const PageUserContext = createContext<string | undefined>(undefined)

/** Returns the ID of the page's user, or undefined on pages that do not require signing in. */
export const usePageUser = () => useContext(PageUserContext)

/** Reads the ID of the page's user from the document. Returns undefined on pages that do not require signing in. */
export const findPageUser = () => document.querySelector<HTMLMetaElement>(`meta[name=${PAGE_USER}]`)?.content

/** @param userId ignored after the first render: a refresh may be for a different user, but open forms still contain this user's data */
export function PageUser({ userId, children }: { userId: string; children: ReactNode }) {
  const [initialUserId] = useState(userId)
  return (
    <PageUserContext value={initialUserId}>
      <meta name={PAGE_USER} content={initialUserId} />
      {children}
    </PageUserContext>
  )
}
