// SPDX-License-Identifier: MIT
//
// Functions and data whose mangled names use as much of the Itanium ABI as
// possible; tests/data/names.tsv was made from what gcc and clang call them.
#include <compare>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace app
{

struct Point {
	int x, y;
	auto operator<=>(const Point &) const = default;
	Point operator+(const Point &o) const
	{
		return { x + o.x, y + o.y };
	}
	explicit operator bool() const
	{
		return x || y;
	}
	template <class T> operator T *() const
	{
		return nullptr;
	}
	int &at(int) &
	{
		return x;
	}
	int at(int) &&
	{
		return y;
	}
	int at(long) const &noexcept
	{
		return x;
	}
	void *operator new(size_t n)
	{
		return ::operator new(n);
	}
	void operator delete(void *p)
	{
		::operator delete(p);
	}
	int operator()(int a, ...)
	{
		return a;
	}
	int operator[](char) const volatile
	{
		return 0;
	}
	Point *operator->()
	{
		return this;
	}
	int operator,(int a)
	{
		return a;
	}
};

long double operator""_deg(long double v)
{
	return v;
}
unsigned long operator""_k(unsigned long long v)
{
	return v;
}

template <class T, class U = int> struct Box {
	T t;
	template <class V> auto put(V v) -> decltype(v + t)
	{
		return v + t;
	}
	static int count;
	struct Inner {
		Box *get()
		{
			return nullptr;
		}
		template <int N> void fix()
		{
		}
	};
	Box()
	{
	}
	template <class V> Box(V)
	{
	}
	~Box()
	{
	}
	friend bool operator<(const Box &, const Box &)
	{
		return false;
	}
};
template <class T, class U> int Box<T, U>::count = 1;

template <class... Ts> int sum(Ts... ts)
{
	return (0 + ... + int(ts));
}
template <class... Ts> auto all(Ts... ts) -> decltype((true && ... && ts))
{
	return (true && ... && ts);
}
template <int... Is> void ints(std::integer_sequence<int, Is...>)
{
}
template <class... Ts> void tuple_of(std::pair<Ts, Ts>...)
{
}
template <class... Ts> void counted(char (&)[sizeof...(Ts)], Ts...)
{
}
template <template <class...> class C, class T> C<T> wrap(T)
{
	return {};
}
template <auto V> int value()
{
	return 0;
}
template <const Point &P> int by_ref()
{
	return P.x;
}
template <Point P> int by_value()
{
	return P.x;
}
template <bool B> struct flag {
};
template <int N> flag<(N > 3)> greater(flag<(N >> 1 == 0)>)
{
	return {};
}
template <class T> decltype(new T(1)) make(T)
{
	return nullptr;
}
template <class T> decltype(T{ 1, 2 }) braces(T)
{
	return {};
}
template <class T> decltype(sizeof(T) + alignof(T)) sizes(T)
{
	return 0;
}
template <class T> decltype(static_cast<long>(T()) ? 1 : 2L) pick(T)
{
	return 0;
}
template <class T> decltype(std::declval<T>().x) member(T t)
{
	return t.x;
}
template <class T> decltype(&T::x) pointer(T)
{
	return nullptr;
}
template <class T> decltype(-T(), !T(), ~T()) unary(T t)
{
	return t;
}
template <class T> auto call(T t) -> decltype(t(1, 2u, 'c', true, nullptr))
{
	return t(1, 2u, 'c', true, nullptr);
}
template <class T> auto arrow(T t) -> decltype(t->x)
{
	return t->x;
}
template <class T> auto bump(T t) -> decltype(t++, --t, t[0])
{
	return t[0];
}
template <class T> typename T::type nested(T)
{
	return {};
}
template <class T> void noex(T) noexcept(noexcept(T()))
{
}
template <class T>
concept Small = sizeof(T) < 64;
template <Small T> void concepts(T)
{
}
template <class T>
requires Small<T> &&(sizeof(T) > 1) void needs(T)
{
}
void constrained_auto(Small auto)
{
}

template <class T> struct One {
};

struct HasType {
	using type = int;
};

using F = int (*(*)(char))(double);
F function_pointers(int (*)(int), void (Point::*)(), int Point::*,
		    void (*(*)(void (*)()))(int), int (&)[3], const char (*)[4])
{
	return nullptr;
}
void const_volatile(const char *const *, volatile int &, int *__restrict)
{
}
void rvalues(Point &&, const Point &&, int (&&)[2])
{
}
void method_types(int (Point::*)(long) const &noexcept)
{
}
void extended(__int128, unsigned __int128, _Complex double, __float128,
	      long double, char8_t, char16_t, char32_t, wchar_t,
	      decltype(nullptr))
{
}
typedef int v4 __attribute__((vector_size(16)));
void vectors(v4, v4 *)
{
}
void variadic(const char *, ...)
{
}

[[gnu::abi_tag("v2")]] int tagged()
{
	return 0;
}

inline auto global_lambda = [](int a) { return a; };
auto lambdas(int n)
{
	static int guard = sum(n);
	struct Local {
		int run() const
		{
			return [this] { return v; }();
		}
		int v;
	};
	auto generic = [](auto a, auto &&b) { return a + b; };
	auto typed = []<class T, int N, template <class> class C>(T t, C<T> *) {
		return t + N;
	};
	auto nested = [=] { return [=](int k) { return k + n; }; };
	(void)typed.template operator()<int, 3, One>(1, nullptr);
	return Local{ guard }.run() + generic(1, 2L) + nested()(3);
}
int with_default(int a = [] { return 4; }())
{
	return a;
}
struct Holder {
	int field = [] { return 7; }();
	static inline int shared = [] { return 8; }();
	void take(int a = [](int q) { return q; }(2))
	{
		field = a;
	}
};

namespace
{
struct Hidden {
	virtual ~Hidden()
	{
	}
	virtual int go()
	{
		return 1;
	}
};
enum { ANON = 3 };
int hidden_function(Hidden *h)
{
	return h->go() + ANON;
}
} // namespace

struct {
	int a;
	int get()
	{
		return a;
	}
} unnamed;
template <class T> int take_unnamed(T)
{
	return 0;
}

struct Base {
	virtual ~Base()
	{
	}
	virtual Base *self()
	{
		return this;
	}
	int b = 0;
};
struct Other {
	virtual ~Other()
	{
	}
	virtual Other *self()
	{
		return this;
	}
	int o = 0;
};
struct Derived : virtual Base, Other {
	Derived *self() override
	{
		return this;
	}
	~Derived() override
	{
	}
};
struct Leaf : Derived {
	using Derived::Derived;
	Leaf *self() override
	{
		return this;
	}
};

thread_local std::string tls = "x";
std::vector<std::map<std::string, std::unique_ptr<Point>>> table;
std::string strings(std::string a, std::wstring, std::string_view v)
{
	return a + std::string(v);
}
std::ostream &streams(std::ostream &o)
{
	return o;
}

} // namespace app

template class app::Box<int>;
template struct app::Box<std::string, app::Box<char>>::Inner;
const app::Point fixed{ 1, 2 };
extern const app::Point origin{ 0, 0 };

int main(int argc, char **)
{
	using namespace app;
	Point p{ argc, 2 };
	Box<int> b;
	Box<std::string, Box<char>>::Inner inner;
	inner.fix<-3>();
	b.put(1L);
	Box<double> from(2);
	(void)(from < from);
	(void)static_cast<int *>(p);
	(void)(p + p);
	(void)(p < p);
	int n = sum(1, 2L, 'c') + all(true, false) + p.at(1) + Point{}.at(2) +
		std::as_const(p).at(3L) + p('a') + bool(p);
	ints(std::make_integer_sequence<int, 3>{});
	tuple_of(std::pair<int, int>{}, std::pair<char, char>{});
	char two[2];
	counted(two, 1, 'x');
	(void)wrap<std::vector>(1);
	n += value<4>() + value<'c'>() + value<true>() + value<-7L>() +
		     value<8ull>() + value<nullptr>() + value<&Point::x>() +
		     value<&tagged>() + value <
	     &Point::operator+>();
	n += by_ref<origin>() + by_value<Point{ 3, 4 }>();
	greater<2>({});
	greater<1>({});
	(void)make(1);
	(void)braces(p);
	(void)sizes('a');
	(void)pick(1);
	n += member(p) + unary(1);
	(void)pointer(p);
	n += call([](int, unsigned, char, bool, std::nullptr_t) { return 1; });
	n += arrow(&p) + bump(&n) + nested(HasType{});
	noex(1);
	concepts(1);
	needs(2L);
	constrained_auto('a');
	n += lambdas(2) + global_lambda(3) + with_default() + tagged();
	Holder h;
	h.take();
	Hidden hid;
	n += hidden_function(&hid) + unnamed.get() + take_unnamed(unnamed) +
	     take_unnamed([](double) {}) + take_unnamed(ANON);
	Leaf leaf;
	n += leaf.self() != nullptr;
	(void)1.5_deg;
	(void)3_k;
	auto [q, w] = p;
	int qw = q + w;
	std::function<int(const std::string &)> f = [&](const std::string &s) {
		return int(s.size()) + qw;
	};
	n += f(tls);
	table.emplace_back();
	return n;
}
