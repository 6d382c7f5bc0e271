/** next-auth's own routes: signing in and out. */
import NextAuth from 'next-auth'
import { authOptions } from '@/app/auth'

const handler = NextAuth(authOptions)

export { handler as GET, handler as POST }
