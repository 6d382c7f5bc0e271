/** The error boundary has a button that requests the page again. */
import { isValidElement, type ReactElement, type ReactNode } from 'react'
import { expect, it, vi } from 'vitest'
import ErrorPage from './error'

type Props = { onClick?: () => void; children?: ReactNode }

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
