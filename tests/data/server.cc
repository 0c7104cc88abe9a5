static unsigned Cache::Hash(const char *key) {
  return murmur(key);
}
Value *Cache::Find(const char *key) {
  // The slot, by hash.
  unsigned slot = Hash(key) % size_;
  for (Entry *e = slots_[slot]; e; e = e->next)
    if (e->key == key)
      return &e->value;
  return nullptr;
}
void Server::Handle(Request *request) {
  // What was asked for.
  Value *value = cache_.Find(request->key());
  if (value)
    request->Answer(value);
  else
    request->Refuse();
}
void Server::Run() {
  for (;;) {
    Handle(Next());
  }
}

static Server server;

int main() {
  server.Run();
}
