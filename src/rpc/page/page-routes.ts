// SPDX-License-Identifier: Apache-2.0
import { FlotillaError } from "../../base/error.ts";
import type { Route, RouteAccess, RouteAnswer, RouteRequest } from "../http/route.ts";
import { FileAnswer } from "./file-answer.ts";
import { type PageFiles, pageIndex } from "./page-files.ts";

/** Where the page is served. */
export const pagePath = "/ui/";

/**
 * Hashed files of the build. An unknown name below it belongs to another build, so it is an error and not a view of the
 * page.
 */
const assetsPrefix = "assets/";

const access: RouteAccess = {
  kind: "public",
  because:
    "the files are the same for every user and contain no fleet data; the page loads data by calls that need a login",
};

/** Response of a hub whose package was built without the page. */
const noPage =
  "This hub was built without its page. Build it with `npm run build`, or use the command line: flotilla cluster list.\n";

/**
 * `/` and `/ui` redirect to `/ui/`. A path below it serves a file, or the page itself if there is no such file (PG5).
 */
export function createPageRoutes(files: PageFiles | undefined): readonly Route[] {
  // 302 and not 301: a browser must not remember the redirect when another server uses this port.
  const redirectFrom = (path: string): Route => ({
    path,
    access,
    isQuiet: true,
    handler: () => ({ status: 302, location: pagePath }),
  });
  const serve: Route = {
    path: pagePath,
    match: "prefix",
    access,
    isQuiet: true,
    handler: (request) => answerPage(files, request),
  };
  return [redirectFrom("/"), redirectFrom(pagePath.slice(0, -1)), serve];
}

function answerPage(files: PageFiles | undefined, request: RouteRequest): RouteAnswer {
  if (files === undefined) return { status: 404, contentType: "text/plain; charset=utf-8", body: noPage };
  const name = request.path.slice(pagePath.length);
  const file = files.get(name);
  if (file !== undefined) return FileAnswer.of(file, request);
  const index = files.get(pageIndex);
  if (index === undefined || name.startsWith(assetsPrefix)) {
    throw new FlotillaError("NOT_FOUND", "the page has no such file; reload it if the hub was updated");
  }
  return FileAnswer.of(index, request);
}
