/** The page for an invalid invitation. Does not reveal why the invitation is invalid. */
import { Notice } from '@/app/_components/notice'
import { inviteCopy } from '@/app/copy/invite'

export default function InviteNotFound() {
  return (
    <main>
      <Notice title={inviteCopy.ended} hint={inviteCopy.endedHint}>
        <a className="button" href="/sign-in">
          {inviteCopy.signIn}
        </a>
      </Notice>
    </main>
  )
}
