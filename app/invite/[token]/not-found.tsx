/** The page for an invalid invitation. Does not reveal why the invitation is invalid. */
import { NoticePage } from '@/app/_components/notice'
import { inviteCopy } from '@/app/copy/invite'

export default function InviteNotFound() {
  return <NoticePage title={inviteCopy.ended} hint={inviteCopy.endedHint} href="/sign-in" link={inviteCopy.signIn} />
}
