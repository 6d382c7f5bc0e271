/** The sidebar's links to the user's own and shared saved views, each with its number of records. */
import { cache } from 'react'
import { listSavedViews } from '@/lib/accounts/saved-views'
import type { SessionUser } from '@/lib/accounts/sessions'
import { NavigationLink } from '../_components/navigation-link'
import { savedViewsCopy } from '../copy/saved-views'
import { Group } from './navigation'
import { NavigationIcon } from './navigation-icon'
import { ViewCount } from './view-count'

/** Returns the saved views that a user can see. Reads them at most once per request. */
export const loadSavedViews = cache(listSavedViews)

export async function SavedViews({ user }: { user: SessionUser }) {
  const views = await loadSavedViews(user)
  if (views.length === 0) return null
  return (
    <Group title={savedViewsCopy.title}>
      {views.map(({ id, name, resource, query }) => (
        <NavigationLink key={id} href={query ? `/${resource}?${query}` : `/${resource}`} title={name} className="nav-row">
          <NavigationIcon name={resource} />
          <span className="truncate collapsed:sr-only">{name}</span>
          <ViewCount id={id} />
        </NavigationLink>
      ))}
    </Group>
  )
}
