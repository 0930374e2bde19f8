// submission: lab8/5-fence
// after: solutions/lab8/5-fence.cu
// change: s/^  async_proxy_fence();/  async_proxy_fence;/
// expect: exit 1
// expect: says breaks the rule proxy-fence
// expect: says The compiler had warned:
// expect: says expression has no effect
// The function's brackets are forgotten: that is no call.
