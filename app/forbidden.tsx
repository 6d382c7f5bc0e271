/** 403 page: the user's role does not have access. */
import { Notice } from './_components/notice'
import { errorCopy } from './copy/errors'

export default function Forbidden() {
  return (
    <main>
      <Notice title={errorCopy.forbidden} hint={errorCopy.forbiddenHint}>
        <a className="button" href="/">
          {errorCopy.home}
        </a>
      </Notice>
    </main>
  )
}
