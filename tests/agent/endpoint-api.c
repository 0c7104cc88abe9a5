/* SPDX-License-Identifier: MIT */
/*
 * The C API of the HTTP endpoint, used by a program: prints TAP.  A watchdog
 * ends it if anything hangs.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wick.h>

static unsigned number;
static unsigned failed;

static void check(const char *claim, bool holds)
{
	number++;
	failed += !holds;
	printf("%s %u - %s\n", holds ? "ok" : "not ok", number, claim);
	fflush(stdout);
}

static struct wick_http_answer ask(const char *target, const char *accept,
				   const char *body)
{
	struct wick_http_request q = {
		.size = sizeof(q),
		.method = body ? "POST" : "GET",
		.target = target,
		.host = "example.net",
		.accept = accept,
		.body = body,
		.body_size = body ? strlen(body) : 0,
	};
	struct wick_http_answer a = { .size = sizeof(a) };
	int r = wick_http_handle(&q, &a);

	if (r < 0)
		a.status = r;
	return a;
}

static bool holds(const struct wick_http_answer *a, const char *text)
{
	return a->status > 0 &&
	       memmem(a->body, a->body_size, text, strlen(text));
}

__attribute__((noinline)) static void *spin(void *stop)
{
	for (atomic_bool *end = stop; !*end;)
		;
	return NULL;
}

static void check_pages(void)
{
	struct wick_http_answer a = ask("/debug/pprof/", NULL, NULL);
	char symbols[64];

	check("a mounted index is answered",
	      a.status == 200 && strstr(a.content_type, "text/html") &&
		      holds(&a, "http://example.net/debug/pprof/profile"));
	wick_http_release(&a);
	a = ask("/debug/pprof/profile?seconds=0.2", NULL, NULL);
	check("a mounted profile is gzip",
	      a.status == 200 && a.body_size > 100 &&
		      !memcmp(a.body, "\x1f\x8b", 2) &&
		      strstr(a.fields, "Content-Disposition: "));
	wick_http_release(&a);
	a = ask("/debug/pprof/profile?seconds=0.2", "text/html,*/*", NULL);
	check("a browser gets a page with a policy",
	      a.status == 200 && holds(&a, "spin") &&
		      strstr(a.fields, "Content-Security-Policy: "));
	wick_http_release(&a);
	snprintf(symbols, sizeof(symbols), "0x%lx", (unsigned long)spin + 1);
	a = ask("/debug/pprof/symbol", NULL, symbols);
	check("a mounted symbol page finds names", holds(&a, " spin\n"));
	wick_http_release(&a);
	a = ask("/debug/pprof/profile?seconds=-1", NULL, NULL);
	check("mistakes are answered with 400", a.status == 400);
	wick_http_release(&a);
	a = ask("/elsewhere", NULL, NULL);
	check("other pages with 404", a.status == 404);
	wick_http_release(&a);
	check("what is no request is refused",
	      ask("/a b\r\nX: y", NULL, NULL).status == -EINVAL &&
		      ask("/../x", NULL, NULL).status == -EINVAL);
}

static void check_options(void)
{
	struct {
		struct wick_http_options o;
		int newer;
	} large = { .o.size = sizeof(large), .newer = 1 };
	struct wick_http_options o = { .size = sizeof(o) };

	check("an unknown option is refused",
	      wick_http_start(&large.o) == -E2BIG);
	o.address = "nowhere";
	check("what is no address is refused", wick_http_start(&o) == -EINVAL);
	o.address = "0.0.0.0:0";
	check("an address for others needs a token",
	      wick_http_start(&o) == -EACCES);
	o.token = "short";
	check("a short token is none", wick_http_start(&o) == -EINVAL);
}

/* In the child of a fork nothing runs, and it may start its own. */
static int child(void)
{
	struct wick_http_options o = { .size = sizeof(o),
				       .address = "127.0.0.1:0" };
	char url[100];

	if (wick_http_url(url, sizeof(url)) != -ESRCH)
		return 1;
	if (wick_http_start(&o) < 0 || wick_http_url(url, sizeof(url)) < 0)
		return 2;
	return wick_http_stop() < 0 ? 3 : 0;
}

static void check_server(void)
{
	struct wick_http_options o = { .size = sizeof(o),
				       .address = "127.0.0.1:0" };
	char url[100] = "";
	char small[4];
	int status = -1;
	pid_t pid;

	check("nothing listens at first",
	      wick_http_url(url, sizeof(url)) == -ESRCH &&
		      wick_http_stop() == -ESRCH);
	check("it starts", wick_http_start(&o) == 0);
	check("once", wick_http_start(&o) == -EALREADY);
	check("and says where", wick_http_url(url, sizeof(url)) == 0 &&
					!strncmp(url, "http://127.0.0.1:", 17));
	check("if there is room for it",
	      wick_http_url(small, sizeof(small)) == -ENOSPC);
	pid = fork();
	if (pid == 0)
		_exit(child());
	waitpid(pid, &status, 0);
	check("a child has none, and may start its own", status == 0);
	check("its parent keeps it", wick_http_url(url, sizeof(url)) == 0);
	check("it stops", wick_http_stop() == 0 && wick_http_stop() == -ESRCH);
	for (status = 0; status < 50; status++)
		if (wick_http_start(&o) < 0 || wick_http_stop() < 0)
			break;
	check("and does so fifty times", status == 50);
}

int main(void)
{
	static atomic_bool stop;
	pthread_t thread;

	alarm(60);
	errno = 77;
	if (pthread_create(&thread, NULL, spin, &stop))
		return 1;
	check_options();
	check_pages();
	check_server();
	check("errno is left alone", errno == 77);
	stop = true;
	pthread_join(thread, NULL);
	printf("1..%u\n", number);
	return failed != 0;
}
