/** Shown for an invalid invitation. The message is the same for every reason. */
import { Link } from '@/app/_components/link'
import { Notice } from '@/app/_components/notice'
import { inviteCopy } from '@/app/copy/invite'

export default function InviteNotFound() {
  return (
    <main>
      <Notice title={inviteCopy.ended} hint={inviteCopy.endedHint}>
        <Link className="button" href="/sign-in">
          {inviteCopy.signIn}
        </Link>
      </Notice>
    </main>
  )
}
