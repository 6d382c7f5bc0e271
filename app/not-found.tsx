/** 404 page. */
import { Notice } from './_components/notice'
import { errorCopy } from './copy/errors'

export default function NotFound() {
  return (
    <main>
      <Notice title={errorCopy.notFound} hint={errorCopy.notFoundHint}>
        <a className="button" href="/">
          {errorCopy.home}
        </a>
      </Notice>
    </main>
  )
}
