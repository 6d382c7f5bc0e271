/** Sends the name that a user enters for a browser that works offline to the server, which shows it with offline scans. */
import { useEffect, useRef } from 'react'
import { renameSelf } from './enroll/enroll-self'

/** How long to wait for further input before the name is sent, in milliseconds. */
const WAIT_MS = 2_000

/**
 * @param entered the name that the user has entered; if it is empty, the device keeps its name
 * @param stored the name of the browser's device when the page was rendered; undefined if the user has not made the browser a device
 * @param isOffline whether the server is unreachable. The name is sent once the server responds
 */
export function useDeviceName(entered: string, stored: string | undefined, isOffline: boolean): void {
  const sent = useRef(stored)
  useEffect(() => {
    sent.current = stored
  }, [stored])
  useEffect(() => {
    const name = entered.trim()
    if (stored === undefined || isOffline || name === '' || name === sent.current) return
    const timer = setTimeout(() => {
      sent.current = name
      // If this fails, the name is sent when the page is opened again.
      void renameSelf(name).catch(() => {})
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [entered, stored, isOffline])
}
