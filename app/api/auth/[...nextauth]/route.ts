/** next-auth's own routes: signing in and out. */
import NextAuth from 'next-auth'
import { routeOptions } from '@/app/auth'

const handler = NextAuth(routeOptions)

export { handler as GET, handler as POST }
