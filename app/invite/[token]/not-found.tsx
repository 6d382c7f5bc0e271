/** Shown for an invalid invitation. The message does not reveal the reason. */
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
