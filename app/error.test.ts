/** Tests the message of the error page, and that its button requests the page again or reloads the document. */
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import { ActionError } from './action-error'
import { errorCopy } from './copy/errors'
import ErrorPage from './error'
import { OtherUserError } from './page-user'

type Props = { role?: string; onClick?: () => void; children?: ReactNode }

const findButtons = (node: ReactNode): ReactElement<Props>[] => {
  if (Array.isArray(node)) return node.flatMap(findButtons)
  if (!isValidElement<Props>(node)) return []
  return node.type === 'button' ? [node] : findButtons(node.props.children)
}

it('retries when its button is clicked', () => {
  const retry = vi.fn()
  const [button, ...others] = findButtons(ErrorPage({ error: new Error('away'), retry }))
  expect(others).toEqual([])
  button?.props.onClick?.()
  expect(retry).toHaveBeenCalledOnce()
})

it.each([new ActionError(errorCopy.signedOut), new DOMException(errorCopy.signedOut, 'AbortError')])(
  'offers to sign in again if the user has been signed out: %o',
  (error) => {
    const reload = vi.fn()
    vi.stubGlobal('window', { location: { reload } })
    const page = ErrorPage({ error, retry: vi.fn() })
    const [button] = findButtons(page)
    expect(button?.props.children).toBe(errorCopy.reload)
    expect(page.props.children.props.children.props.title).toBe('You have been signed out.')
    button?.props.onClick?.()
    expect(reload).toHaveBeenCalledOnce()
    vi.unstubAllGlobals()
  },
)

it('reloads the document if another user has signed in, because a retry would keep the previous user', () => {
  const [retry, reload] = [vi.fn(), vi.fn()]
  vi.stubGlobal('window', { location: { reload } })
  const error = new OtherUserError({ email: 'ada@example.com', sellerName: 'Test' })
  findButtons(ErrorPage({ error, retry }))[0]?.props.onClick?.()
  expect([retry.mock.calls.length, reload.mock.calls.length]).toEqual([0, 1])
  vi.unstubAllGlobals()
})

it('announces the error inside the main landmark, because a role on `main` would replace the landmark', () => {
  for (const error of [new Error('away'), new OtherUserError({ email: 'ada@example.com', sellerName: 'Test' })]) {
    const main = ErrorPage({ error, retry: vi.fn() }) as ReactElement<Props>
    const alert = main.props.children as ReactElement<Props>
    expect([main.type, main.props.role, alert.props.role]).toEqual(['main', undefined, 'alert'])
  }
})
